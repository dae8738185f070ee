// SPDX-License-Identifier: Apache-2.0
// The settings of a panel: its own, those that panels share, and those that panels offer.
import { fetchText, isKnown, isLong, keep, plain } from './long_settings.js';
import { hideTooltip } from './pointer.js';
import { emit, on, state } from './state.js';

// Settings that panels share unless detached, by the names of parameters.
let shared = {};
// The last choices of parameters that panels offer to panels without a choice.
let offered = {};
// By shared parameter: long texts that are being sent to the server for a key
// (long_settings.js).
const sharedOnWay = {};
on('trace', () => {
  shared = {};
  offered = {};
  for (const name of Object.keys(sharedOnWay)) delete sharedOnWay[name];
});

// Offers a choice of the selection to all panels that follow.
export function offerToAll(name, value) {
  offered[name] = value || undefined;
  emit('offered', { from: null, name });
}

export const WithSettings = (Base) =>
  class extends Base {
    // Starts with SETTINGS, and with what other panels share and offer.
    startSettings(settings) {
      this.settings = { ...settings };
      this.onWay = {}; // like sharedOnWay, for the panel's own settings
      for (const { name } of this.sharedParameters()) {
        if (this.settings[name] !== undefined) shared[name] = this.settings[name];
        else if (shared[name] !== undefined) this.settings[name] = shared[name];
      }
      this.takeOffers();
    }

    // Follows what other panels share and offer; returns functions that end this.
    listenToSettings() {
      return [
        on('shared', ({ from, name, change }) => {
          if (from !== this && this.sharedParameters().some((p) => p.name === name))
            this.take(name, shared[name], change);
        }),
        on('offered', ({ from, name }) => {
          const open = this.settings[name] === undefined || this.follows.has(name);
          if (
            from === this ||
            this.keeps ||
            !open ||
            !this.view.parameters.some((p) => p.offered && p.name === name)
          )
            return;
          this.follows.add(name);
          this.take(name, offered[name]);
        }),
      ];
    }

    onWayOf(name) {
      return this.sharedParameters().some((p) => p.name === name)
        ? sharedOnWay
        : this.onWay;
    }

    // Sends a very long set to the server first, and sets its key.  A change before the key
    // arrives changes the text that is being sent.
    async setLong(name, value, change) {
      const onWay = this.onWayOf(name),
        isLast = () => onWay[name] === value;
      onWay[name] = value;
      try {
        const key = await keep(value);
        if (isLast()) this.set(name, key, change);
      } catch (error) {
        if (!isLast()) return;
        delete onWay[name];
        emit('error', `${name} is not changed: ${error.message}`);
      }
    }

    // The text of a parameter, as far as it is known.
    textOf({ name, fallback }) {
      return this.onWayOf(name)[name] ?? plain(this.settings[name]) ?? fallback;
    }

    // Changes the text of a parameter by RUN, as soon as it is known.
    change(parameter, run) {
      const { name } = parameter,
        { facts } = state,
        value = this.settings[name];
      if (this.onWayOf(name)[name] !== undefined || isKnown(value))
        return void run(this.textOf(parameter));
      fetchText(value).then(
        () => {
          if (facts === state.facts) this.change(parameter, run);
        },
        (error) => emit('error', `${name} is not changed: ${error.message}`),
      );
    }

    sharedParameters() {
      return this.detached ? [] : this.view.parameters.filter((p) => p.shared);
    }

    // Takes what other panels offer for parameters without a choice here, and follows it
    // from then on.
    takeOffers() {
      this.follows = new Set();
      for (const { name } of this.view.parameters.filter((p) => p.offered)) {
        this.settings[name] ??= offered[name];
        offered[name] ??= this.settings[name];
        if (this.settings[name] === undefined) delete this.settings[name];
        else if (this.settings[name] === offered[name]) this.follows.add(name);
      }
    }

    // Offers a choice made here to the panels that follow.
    offer(name) {
      if (!this.view.parameters.some((p) => p.offered && p.name === name)) return;
      this.follows.delete(name);
      offered[name] = this.settings[name];
      emit('offered', { from: this, name });
    }

    // Detaches the panel's shared settings, or takes those of the others again.
    setDetached(detached) {
      this.detached = detached;
      for (const { name } of this.sharedParameters()) this.take(name, shared[name]);
      this.fillHead();
      emit('layout');
    }

    // Takes a setting that another panel has changed; CHANGE: what was opened or closed.
    take(name, value, change) {
      delete this.onWay[name];
      if (this.settings[name] === value) return;
      if (value === undefined) delete this.settings[name];
      else this.settings[name] = value;
      if (change) this.picture.morphTo(change.id, change.opening);
      this.fillHead();
      this.picture.change();
      if (this.mode === 'table') this.fillTable();
    }

    // A change of the depth opens or closes a whole level; 0 is the deepest.
    levelChange(name, value) {
      const { kind, shared: isShared } =
        this.view.parameters.find((p) => p.name === name) || {};
      const deep = (text) => Number(text ?? 0) || Infinity;
      return kind === 'number' && isShared
        ? { id: null, opening: deep(value) > deep(this.settings[name]) }
        : undefined;
    }

    set(name, value, change = this.levelChange(name, value)) {
      if (isLong(value)) return void this.setLong(name, value, change);
      delete this.onWayOf(name)[name];
      if (value === undefined || value === '') delete this.settings[name];
      else this.settings[name] = value;
      if (change) this.picture.morphTo(change.id, change.opening);
      if (this.sharedParameters().some((p) => p.name === name)) {
        shared[name] = this.settings[name];
        emit('shared', { from: this, name, change });
      }
      this.offer(name);
      if (name === 'root' || name === 'layout') {
        // a new picture: show all of it
        this.unzoom();
        hideTooltip();
      }
      if (name === 'root' && !this.settings.root) this.before = [];
      if (name === 'row_height' || name === 'rows') this.picture.scroll = 0;
      this.fillHead();
      this.picture.change();
      if (this.mode === 'table') this.fillTable();
      emit('layout');
    }
  };
