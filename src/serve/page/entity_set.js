// SPDX-License-Identifier: Apache-2.0 Sets of entities and containers as texts
// (src/store/entity_set.h says how they look): what a click puts in and takes out.  A list
// of containers may hold names, too, which stay as they are: NAMED says that a text is such
// a list.

const CONTAINERS = 0xffffff; // the track of their ids
const NODES = 0xfffffe; // and that of nodes of a task DAG: "node:7" when it is read
const PROCESSORS = 0xfffffd; // and that of a distribution's processors: "processor:3"
const WITH_ALL = 2 ** 32; // in the ordinal of one that stands for all that it holds

// The id of a row ("#5", "#5+"): that of its container alone.
export const idOfRow = (row) =>
  String((BigInt(CONTAINERS) << 40n) + BigInt(parseInt(row.slice(1), 10)));

// Ranges [first, last] of ordinals, rising and apart.
function inOrder(ranges) {
  const kept = [];
  for (const [first, last] of ranges.sort((a, b) => a[0] - b[0])) {
    const before = kept[kept.length - 1];
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else kept.push([first, last]);
  }
  return kept;
}

// A text as ranges by track, and what in it are names.
function read(text, named) {
  const tracks = new Map(),
    names = [];
  for (const group of named ? [text] : text.split(';')) {
    const [head, track = head === 'node:' ? NODES : PROCESSORS] = (!named &&
      /^(?:t(\d+)|node|processor):/.exec(group)) || [''];
    for (const item of group.slice(head.length).split(',').filter(Boolean)) {
      const [, begin, end, all] =
        (head ? /^(\d+)(?:-(\d+))?$/ : /^#(\d+)(?:-(\d+))?(\+?)$/).exec(item) || [];
      if (begin === undefined) {
        names.push(item);
        continue;
      }
      const of = head ? Number(track) : CONTAINERS,
        from = all ? WITH_ALL : 0;
      if (!tracks.has(of)) tracks.set(of, []);
      tracks.get(of).push([from + Number(begin), from + Number(end ?? begin)]);
    }
  }
  for (const [track, ranges] of tracks) tracks.set(track, inOrder(ranges));
  return { tracks, names };
}

function write({ tracks, names }) {
  const groups = [...tracks]
    .filter(([, ranges]) => ranges.length)
    .sort((a, b) => a[0] - b[0])
    .map(([track, ranges]) => {
      const own = track === CONTAINERS;
      const items = ranges.map(([first, last]) => {
        const all = own && first >= WITH_ALL,
          from = all ? WITH_ALL : 0;
        return `${own ? '#' : ''}${first - from}${last > first ? '-' + (last - from) : ''}${all ? '+' : ''}`;
      });
      return own ? [...names, ...items].join(',') : `t${track}:${items.join(',')}`;
    });
  return !tracks.get(CONTAINERS)?.length && names.length
    ? [...groups, names.join(',')].join(';')
    : groups.join(';');
}

const placeOf = (id) => [
  Number(BigInt(id) >> 40n),
  Number(BigInt(id) & ((1n << 40n) - 1n)),
];

export function has(text, id, named) {
  const [track, n] = placeOf(id);
  return (read(text, named).tracks.get(track) || []).some(
    ([first, last]) => n >= first && n <= last,
  );
}

// The text with the id in it, or without it when it was there.
export function toggled(text, id, named) {
  const [track, n] = placeOf(id),
    set = read(text, named),
    ranges = set.tracks.get(track) || [];
  const without = ranges.flatMap(([first, last]) =>
    n < first || n > last
      ? [[first, last]]
      : [
          [first, n - 1],
          [n + 1, last],
        ].filter(([a, b]) => a <= b),
  );
  const was = ranges.some(([first, last]) => n >= first && n <= last);
  set.tracks.set(track, was ? without : inOrder([...ranges, [n, n]]));
  return write(set);
}

// How many there are in it.
export function size(text, named) {
  const { tracks, names } = read(text, named);
  return [...tracks.values()]
    .flat()
    .reduce((sum, [first, last]) => sum + last - first + 1, names.length);
}
