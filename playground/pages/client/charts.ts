/** Draws Mermaid charts: the library is fetched from this server when the first chart is met. */
import type { Mermaid } from 'mermaid';

const library = '/_playground/assets/mermaid/mermaid.esm.min.mjs';
const drawings = new Map<string, string>();
let loaded: Promise<Mermaid> | null = null;
let count = 0;

/** Every figure with `data-chart` inside `root`; one that cannot be drawn keeps its source and says why. */
export async function drawCharts(root: Element): Promise<void> {
  for (const figure of root.querySelectorAll<HTMLElement>('figure[data-chart]')) {
    const source = figure.querySelector('.chart-source')?.textContent ?? '';
    try {
      show(figure, source, await draw(source));
    } catch (error) {
      complain(figure, error);
    }
    figure.removeAttribute('data-chart');
  }
}

async function draw(source: string): Promise<string> {
  const known = drawings.get(source);
  if (known !== undefined) return known;
  loaded ??= load();
  const mermaid = await loaded;
  count += 1;
  const { svg } = await mermaid.render(`chart-${count}`, source);
  drawings.set(source, svg);
  return svg;
}

/** `strict`: labels are text, links do nothing, and Mermaid passes its drawing through DOMPurify. */
async function load(): Promise<Mermaid> {
  const module: { readonly default: Mermaid } = await import(library);
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  module.default.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    theme: dark ? 'dark' : 'neutral',
    fontFamily: 'inherit',
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
  return module.default;
}

/** The source stays within reach, for people who cannot see the drawing. */
function show(figure: HTMLElement, source: string, svg: string): void {
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
  // Too wide for its place on a narrow window: scrolled with the keyboard.
  text.tabIndex = 0;
  details.append(summary, text);
  figure.replaceChildren(drawing, details);
}

function complain(figure: HTMLElement, error: unknown): void {
  const note = document.createElement('figcaption');
  note.className = 'refusal';
  note.textContent = `This chart cannot be drawn: ${error instanceof Error ? error.message : String(error)}`;
  figure.append(note);
}
