// SPDX-License-Identifier: Apache-2.0
// Sets of entities and containers as texts (format: src/store/entity_set.h), which clicks
// change.  NAMED: the text is a list of containers, which may also have names; they stay as
// they are.

const CONTAINERS = 0xffffff; // the track of their ids
const NODES = 0xfffffe; // the track of nodes of a task DAG: "node:7" in a text
const PROCESSORS = 0xfffffd; // the track of a distribution's processors: "processor:3"
const WITH_ALL = 2 ** 32; // in an ordinal: with all that the container holds

// The id of the container of a row ("#5", "#5+").
export const idOfRow = (row) =>
  String((BigInt(CONTAINERS) << 40n) + BigInt(parseInt(row.slice(1), 10)));

// Sorts and merges ranges [first, last] of ordinals.
function inOrder(ranges) {
  const kept = [];
  for (const [first, last] of ranges.sort((a, b) => a[0] - b[0])) {
    const before = kept[kept.length - 1];
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else kept.push([first, last]);
  }
  return kept;
}

// Parses a text into ranges by track, and names.
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

// Returns the text with the id added, or removed if it was there.
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

// Returns how many members the set has.
export function size(text, named) {
  const { tracks, names } = read(text, named);
  return [...tracks.values()]
    .flat()
    .reduce((sum, [first, last]) => sum + last - first + 1, names.length);
}
