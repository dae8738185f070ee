// SPDX-License-Identifier: Apache-2.0
// Rasters of packed scenes (src/draw/packed.c): pixels, or bands of piles and of lines.

const BAND_WORDS = 7;

// Fills columns with piles of colours, from the lower edge up.
function fillPiles(out, columns, rows, band, colors, ends) {
  const n = colors.length,
    low = band.top + band.height - 1,
    cut = Math.max(0, low - rows + 1); // rows of the band below the raster
  for (let c = 0, k = 0; c < band.columns; c++) {
    let at = ((low - cut) * columns + band.first + c) | 0,
      height = cut;
    for (let i = 0; i < n; i++, k++) {
      const end = ends[k],
        color = colors[i];
      // what is above the raster is outside of the array, and so dropped
      for (; height < end; height++, at -= columns) out[at] = color;
    }
  }
}

function fillLines(out, columns, rows, band, lines, pixels) {
  for (let y = Math.max(0, -band.top); y < band.height && band.top + y < rows; y++) {
    const from = lines === 1 ? 0 : y * band.columns;
    out.set(
      pixels.subarray(from, from + band.columns),
      (band.top + y) * columns + band.first,
    );
  }
}

function pixelsOfBands(buffer, at, columns, rows, n) {
  const out = new Uint32Array(columns * rows),
    words = new Int32Array(buffer, at, n * BAND_WORDS);
  for (let i = 0; i < n; i++) {
    const [top, height, first, width, colors, lines, offset] = words.subarray(
      i * BAND_WORDS,
      (i + 1) * BAND_WORDS,
    );
    const band = { top, height, first, columns: width };
    if (colors)
      fillPiles(
        out,
        columns,
        rows,
        band,
        new Uint32Array(buffer, at + offset, colors),
        new Uint8Array(buffer, at + offset + 4 * colors, colors * width),
      );
    else
      fillLines(
        out,
        columns,
        rows,
        band,
        lines,
        new Uint32Array(buffer, at + offset, lines * width),
      );
  }
  return new Uint8ClampedArray(out.buffer);
}

// Returns the pixels of a raster or of bands as ImageData.
export function imageOf(scene, mark) {
  const [kind, , , , , columns, rows] = mark,
    at = scene.pixels + mark[kind === 'bands' ? 8 : 7];
  const bytes =
    kind === 'bands'
      ? pixelsOfBands(scene.buffer, at, columns, rows, mark[7])
      : new Uint8ClampedArray(scene.buffer, at, columns * rows * 4);
  return new ImageData(bytes, columns, rows);
}
