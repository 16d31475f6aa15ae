/** A chart by uPlot in the page's colours, as wide as its place. It is drawn anew when the colours change, and told what is new otherwise. */
import { useEffect, useRef, useState } from 'preact/hooks';
import UPlot, { type AlignedData, type Options } from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface Colours {
  readonly accent: string;
  readonly text: string;
  readonly quiet: string;
  readonly line: string;
  readonly attention: string;
  readonly font: string;
}

interface ChartProps {
  /** What it says, for who does not see it. */
  readonly label: string;
  /** Another name is another chart. */
  readonly name: string;
  readonly data: AlignedData;
  readonly height: number;
  readonly options: (colours: Colours) => Omit<Options, 'width' | 'height'>;
}

export function Chart({ label, name, data, height, options }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | undefined>(undefined);
  const latest = useRef(data);
  latest.current = data;
  const shade = useShade();

  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const made = new UPlot(
      { ...options(coloursOf(element)), width: element.clientWidth, height },
      latest.current,
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current = undefined;
      made.destroy();
    };
  }, [shade, name, height, options]);
  useEffect(() => plot.current?.setData(data), [data]);

  return <div class="plot" ref={box} role="img" aria-label={label} style={{ minHeight: `${height}px` }} />;
}

function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    accent: colour('accent'),
    text: colour('text'),
    quiet: colour('quiet'),
    line: colour('line'),
    attention: colour('attention'),
    font: style.fontFamily,
  };
}

/** Changes with every change of light and dark. */
function useShade(): number {
  const [shade, setShade] = useState(0);
  useEffect(() => {
    const changed = () => setShade((before) => before + 1);
    const prefers = matchMedia('(prefers-color-scheme: dark)');
    const chosen = new MutationObserver(changed);
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    prefers.addEventListener('change', changed);
    return () => {
      chosen.disconnect();
      prefers.removeEventListener('change', changed);
    };
  }, []);
  return shade;
}
