// SPDX-License-Identifier: Apache-2.0
// Actions on things in a panel's picture: look inside, pick, open, close and place them.
import { has, toggled } from './entity_set.js';
import { placed } from './node_places.js';
import { openMenu } from './commands.js';
import { markOf } from './scene_search.js';
import { within } from './selections.js';
import { emit, setActive, state } from './state.js';

export const WithActions = (Base) =>
  class extends Base {
    // The view's parameter with this name that takes an entity (root, node), if it has one.
    named(name) {
      return this.view.parameters.find((p) => p.kind === 'entity' && p.name === name);
    }

    // Shows only a subtree; and goes back, to the previous subtree or to the whole.
    enter(id) {
      if (id === this.settings.root) return;
      this.before.push(this.settings.root);
      this.set('root', id);
    }
    leave() {
      if (this.settings.root) this.set('root', this.before.pop());
    }

    // The menu of an entity: one entry for each of the view's parameters that takes one.
    thingMenu(id, x, y) {
      const words = (p) => p.help[0].toUpperCase() + p.help.slice(1).replace(/ \(.*/, '');
      const items = this.view.parameters
        .filter((p) => p.kind === 'entity')
        .flatMap((p) => [
          {
            title: words(p),
            help: p.help,
            run: () => (p.name === 'root' ? this.enter(id) : this.set(p.name, id)),
          },
          ...(p.name === 'root' && this.before.some(Boolean)
            ? [{ title: 'Back to the subtree before', run: () => this.leave() }]
            : []),
          ...(this.settings[p.name]
            ? [
                {
                  title:
                    p.name === 'root'
                      ? 'Show the whole tree again'
                      : `Forget the ${p.name}`,
                  run: () => this.set(p.name, undefined),
                },
              ]
            : []),
        ]);
      items.push(...this.setItems('entities', id));
      if (items.length) openMenu(x, y, items);
      return items.length > 0;
    }

    // Returns true if the set of a parameter has the thing or container with this id.
    holds(parameter, id) {
      return has(this.textOf(parameter), id, parameter.kind === 'containers');
    }

    // Toggles an id in a set.  With MARK, the picture shows how that thing opens or closes.
    toggle(parameter, id, mark) {
      this.change(parameter, (text) => {
        const change = mark && {
          id: mark,
          opening: (parameter.name === 'closed') === this.holds(parameter, id),
        };
        this.set(
          parameter.name,
          toggled(text, id, parameter.kind === 'containers'),
          change,
        );
      });
    }

    // Lists what a selection means.  A panel that follows the selection of others goes on
    // to show what it shows.
    list(where) {
      setActive(this);
      this.keeps = true;
      emit('instances', where);
      this.keeps = false;
    }

    // Does what a mark's action says (weft_action in view/scene.h).
    act(action) {
      const opens = ['opened', 'closed'].includes(action.parameter);
      if (action.kind === 'list') this.list(within(action.parameter, this.settings));
      if (action.kind === 'set') {
        const [name] = action.parameter.split('=');
        this.set(name, action.parameter.slice(name.length + 1));
      }
      if (action.kind === 'toggle')
        this.toggle(
          this.view.parameters.find((p) => p.name === action.parameter),
          action.id,
          opens ? action.id : undefined,
        );
    }

    // Does what one of the view's keys says (weft_view_key in view/view.h).
    press({ setting, step }) {
      const parameter = this.view.parameters.find((p) => p.name === setting);
      const choices = { flag: ['on', 'off'], choice: (parameter.choices || '').split('|') }[
        parameter.kind
      ];
      this.change(parameter, (text) => {
        const at = choices && choices.indexOf(text) + step + choices.length;
        const { minimum, maximum } = parameter;
        this.set(
          setting,
          choices
            ? choices[at % choices.length]
            : String(Math.min(maximum, Math.max(minimum, Number(text) + step))),
        );
      });
    }

    // Opens everything one level deeper, or less deep.
    changeDepth(step) {
      const parameter = this.view.parameters.find((p) => p.name === 'depth' && p.shared),
        { levels } = this.picture.scene?.frame || {};
      if (parameter && levels) this.set('depth', String(Math.max(1, levels + step)));
    }

    // Does what a double click on the picked thing does (Enter).
    actOnPicked() {
      const { picture } = this,
        found =
          state.picked &&
          picture.scene &&
          markOf(picture.scene, state.picked.id, picture.move());
      const about = found?.mark[found.mark.length - 1];
      const action = [about?.action, about?.twice].find(
        (each) => each && each.parameter !== 'tags',
      );
      if (action) this.act(action);
    }

    // Puts a dragged node at a point of the picture, by its mark's action.
    place(action, at) {
      const { plot } = this.picture.scene.frame,
        parameter = this.view.parameters.find((p) => p.name === action.parameter);
      const words = (parameter.choices || '').split('|'),
        x = (at.x - plot[0]) / plot[2],
        y = (at.y - plot[1]) / plot[3];
      this.change(parameter, (text) =>
        this.set(parameter.name, placed(text, words, action.id, x, y)),
      );
    }
  };
