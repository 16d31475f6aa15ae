/** Draws figures as lines in an SVG, which browsers and GitHub show without a program. */

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Panel {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
  /** Where something happened that explains what is seen. */
  readonly marks?: readonly number[];
}

export interface Axis {
  readonly name: string;
  /** By powers of ten. Otherwise it begins at 0. */
  readonly isLogarithmic?: boolean;
}

const WIDTH = 460;
const HEIGHT = 250;
const PLOT = { left: 62, right: 30, top: 34, bottom: 62 };
const LINES = ['#1f6feb', '#d1242f', '#1a7f37', '#8250df', '#bf8700', '#57606a'];
const TICKS = 5;

/** All panels in one picture, in rows of so many. */
export function chart(panels: readonly Panel[], columns = 2): string {
  const rows = Math.ceil(panels.length / columns);
  const [width, height] = [Math.min(columns, panels.length) * WIDTH, rows * HEIGHT];
  const drawn = panels.map((panel, index) => {
    const [x, y] = [(index % columns) * WIDTH, Math.floor(index / columns) * HEIGHT];
    return `<g transform="translate(${x} ${y})">\n${panelOf(panel)}\n</g>`;
  });
  const font = 'font-family="system-ui, sans-serif" font-size="11" fill="#24292f"';
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ${font}>`;
  return `${head}\n<rect width="${width}" height="${height}" fill="#ffffff"/>\n${drawn.join('\n')}\n</svg>\n`;
}

function panelOf({ title, x, y, series, marks = [] }: Panel): string {
  const points = series.flatMap((each) => each.points);
  const across = scaleOf(
    points.map((point) => point.x),
    x,
    { from: PLOT.left, to: WIDTH - PLOT.right },
  );
  const up = scaleOf(
    points.map((point) => point.y),
    y,
    { from: HEIGHT - PLOT.bottom, to: PLOT.top },
  );
  return [
    text(title, { x: PLOT.left, y: 20 }, 'font-size="13" font-weight="600"'),
    ...up.ticks.map((tick) => horizontal(up.place(tick), short(tick))),
    ...across.ticks.map((tick) => {
      const at = { x: across.place(tick), y: HEIGHT - PLOT.bottom + 15 };
      return text(short(tick), at, 'text-anchor="middle" fill="#57606a"');
    }),
    text(x.name, { x: WIDTH - PLOT.right, y: HEIGHT - PLOT.bottom + 29 }, 'text-anchor="end" fill="#57606a"'),
    text(y.name, { x: PLOT.left, y: PLOT.top - 3 }, 'fill="#57606a" font-size="10"'),
    ...marks.map((mark) => vertical(across.place(mark))),
    ...series.map((each, index) => line(each.points, { across, up, colour: colourOf(index) })),
    ...legends(series.map(({ name }) => name)),
  ].join('\n');
}

interface Scale {
  readonly place: (value: number) => number;
  readonly ticks: readonly number[];
}

function scaleOf(
  values: readonly number[],
  axis: Axis,
  { from, to }: { readonly from: number; readonly to: number },
): Scale {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const isEmpty = values.length === 0;
  const ticks = isEmpty ? [0, 1] : axis.isLogarithmic ? powers(least, most) : steps(most);
  const measure = axis.isLogarithmic ? Math.log10 : (value: number) => value;
  const [first, last] = [measure(ticks[0] ?? 0), measure(ticks.at(-1) ?? 1)];
  const place = (value: number) => from + ((measure(value) - first) / (last - first)) * (to - from);
  return { place, ticks };
}

/** From 0 to at least the most, in round numbers. */
export function steps(most: number): readonly number[] {
  if (most <= 0) return [0, 1];
  const rough = most / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** The powers of ten around all of it, and one more where it would be one only. */
export function powers(least: number, most: number): readonly number[] {
  const first = Math.floor(Math.log10(least) + 1e-9);
  const last = Math.max(Math.ceil(Math.log10(most) - 1e-9), first + 1);
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
}

const colourOf = (index: number): string => LINES[index % LINES.length] ?? '';

const horizontal = (y: number, label: string): string =>
  `<line x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${fixed(y)}" y2="${fixed(y)}" stroke="#d8dee4"/>\n` +
  text(label, { x: PLOT.left - 6, y: y + 4 }, 'text-anchor="end" fill="#57606a"');

const vertical = (x: number): string =>
  `<line x1="${fixed(x)}" x2="${fixed(x)}" y1="${PLOT.top}" y2="${HEIGHT - PLOT.bottom}" stroke="#afb8c1" stroke-dasharray="2 3"/>`;

function line(
  points: readonly Point[],
  { across, up, colour }: { readonly across: Scale; readonly up: Scale; readonly colour: string },
): string {
  const places = points.map(({ x, y }) => `${fixed(across.place(x))},${fixed(up.place(y))}`);
  const dots = points.length > 10 ? [] : places.map((place) => dot(place, colour));
  return [`<polyline points="${places.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.5"/>`, ...dots].join(
    '\n',
  );
}

function dot(place: string, colour: string): string {
  const [x, y] = place.split(',');
  return `<circle cx="${x}" cy="${y}" r="2.5" fill="${colour}"/>`;
}

/** Below the axis, in as many rows as the names need. */
function legends(names: readonly string[]): readonly string[] {
  let [x, y] = [PLOT.left, HEIGHT - PLOT.bottom + 42];
  return names.map((name, index) => {
    const width = name.length * 6 + 28;
    if (x > PLOT.left && x + width > WIDTH) [x, y] = [PLOT.left, y + 14];
    const line = `<line x1="${x}" x2="${x + 12}" y1="${y - 4}" y2="${y - 4}" stroke="${colourOf(index)}" stroke-width="2"/>`;
    const drawn = `${line}\n${text(name, { x: x + 16, y })}`;
    x += width;
    return drawn;
  });
}

const text = (content: string, { x, y }: Point, more = ''): string =>
  `<text x="${fixed(x)}" y="${fixed(y)}"${more && ` ${more}`}>${escaped(content)}</text>`;

const escaped = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const fixed = (value: number): string => String(Number(value.toFixed(1)));

const short = (value: number): string => (value >= 10_000 ? value.toLocaleString('en') : String(value));
