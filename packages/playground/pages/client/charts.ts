/** Draws Mermaid charts. The library is loaded from this server with the first chart. */

const library = '/_playground/assets/mermaid.js';

/** The used part of Mermaid's interface: its smallest build has no types. */
type Mermaid = {
  readonly initialize: (config: Readonly<Record<string, unknown>>) => void;
  readonly render: (id: string, source: string) => Promise<{ readonly svg: string }>;
};

declare global {
  var mermaid: Mermaid | undefined;
}

const drawings = new Map<string, string>();
let loaded: Promise<Mermaid> | null = null;
let count = 0;

/**
 * Draws every figure with `data-chart` inside `root`. A chart that cannot be drawn keeps its source and shows the
 * error.
 */
export async function drawCharts(root: Element): Promise<void> {
  for (const figure of root.querySelectorAll<HTMLElement>('figure[data-chart]')) {
    const source = figure.querySelector('.chart-source')?.textContent ?? '';
    try {
      showChart(figure, source, await drawChart(source, widthFor(figure)));
    } catch (error) {
      showChartError(figure, error);
    }
    figure.removeAttribute('data-chart');
  }
}

/**
 * The drawing width is the display width, so that labels stay readable in a narrow window. It is rounded to steps to
 * limit the number of different sizes.
 */
function widthFor(figure: HTMLElement): number {
  // A new part is drawn before it is inserted into the page; the existing text gives its later width.
  const textWidth = (document.querySelector('main .card-body')?.clientWidth ?? 760) - 60;
  const room = figure.clientWidth > 0 ? figure.clientWidth : textWidth;
  return Math.min(700, Math.max(300, Math.floor(room / 50) * 50));
}

async function drawChart(source: string, width: number): Promise<string> {
  const key = `${width} ${source}`;
  const known = drawings.get(key);
  if (known !== undefined) return known;
  loaded ??= loadMermaid();
  const mermaid = await loaded;
  configureMermaid(mermaid, width);
  count += 1;
  const { svg } = await mermaid.render(`chart-${count}`, source);
  drawings.set(key, svg);
  return svg;
}

/** The library is a classic script that adds a global variable. */
function loadMermaid(): Promise<Mermaid> {
  return new Promise((resolve, reject) => {
    const element = document.createElement('script');
    element.src = library;
    element.onload = () => {
      if (globalThis.mermaid === undefined) reject(new Error(`${library} defines no mermaid`));
      else resolve(globalThis.mermaid);
    };
    element.onerror = () => reject(new Error(`${library} cannot be loaded`));
    document.head.append(element);
  });
}

/** `strict`: labels are text, links are disabled, and Mermaid sanitises its drawing with DOMPurify. */
function configureMermaid(mermaid: Mermaid, width: number): void {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const isNarrow = width < 500;
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    theme: dark ? 'dark' : 'neutral',
    fontFamily: 'inherit',
    xyChart: {
      width,
      height: Math.round(width * (isNarrow ? 0.75 : 0.6)),
      titleFontSize: isNarrow ? 15 : 18,
      xAxis: { labelFontSize: isNarrow ? 11 : 13, titleFontSize: isNarrow ? 12 : 14 },
      yAxis: { labelFontSize: isNarrow ? 11 : 13, titleFontSize: isNarrow ? 12 : 14 },
    },
    themeVariables: {
      xyChart: {
        backgroundColor: 'transparent',
        titleColor: colour('--text'),
        xAxisTitleColor: colour('--muted'),
        xAxisLabelColor: colour('--muted'),
        xAxisLineColor: colour('--line'),
        xAxisTickColor: colour('--line'),
        yAxisTitleColor: colour('--muted'),
        yAxisLabelColor: colour('--muted'),
        yAxisLineColor: colour('--line'),
        yAxisTickColor: colour('--line'),
        plotColorPalette: ['--accent', '--good', '--wait', '--done', '--bad'].map(colour).join(', '),
      },
    },
  });
}

/** Keeps the source available for people who cannot see the drawing. */
function showChart(figure: HTMLElement, source: string, svg: string): void {
  const drawing = document.createElement('div');
  drawing.className = 'chart-drawing';
  drawing.role = 'img';
  drawing.ariaLabel = `Chart: ${/^\s*title\s+(.+)$/m.exec(source)?.[1]?.replaceAll('"', '') ?? 'Mermaid drawing'}`;
  drawing.innerHTML = svg;
  const details = document.createElement('details');
  const summary = document.createElement('summary');
  summary.textContent = 'Source of the chart';
  const text = document.createElement('pre');
  text.textContent = source;
  // In a narrow window the source is wider than its place; make it scrollable by keyboard.
  text.tabIndex = 0;
  details.append(summary, text);
  figure.replaceChildren(drawing, details);
}

function showChartError(figure: HTMLElement, error: unknown): void {
  const note = document.createElement('figcaption');
  note.className = 'refusal';
  note.textContent = `This chart cannot be drawn: ${error instanceof Error ? error.message : String(error)}`;
  figure.append(note);
}
