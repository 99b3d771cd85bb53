/** Exchanges the live parts of the page (`data-key` inside `data-live`), touching only those that differ. */
import { drawCharts } from './charts.ts';
import { enableTicks } from './ticks.ts';

/** The server's markup of each part, before charts were drawn and times rewritten in it. */
const sources = new WeakMap<Element, string>();

export function rememberParts(root: ParentNode): void {
  for (const part of root.querySelectorAll('[data-live] > [data-key]')) sources.set(part, part.outerHTML);
}

/** Returns the new content, in words for a screen reader. */
export async function replaceParts(present: Document, fresh: Document): Promise<readonly string[]> {
  const news: string[] = [];
  for (const source of fresh.querySelectorAll('[data-live]')) {
    // A container inside a new part is inserted with that part.
    const place = present.querySelector(`[data-live="${CSS.escape(source.getAttribute('data-live') ?? '')}"]`);
    if (place !== null) news.push(...(await replacePartsIn(place, source)));
  }
  return news;
}

async function replacePartsIn(place: Element, source: Element): Promise<readonly string[]> {
  const news: string[] = [];
  // If the reader is at the end of a growing log, keep the view at the end.
  const isAtEnd = place.role === 'log' && place.scrollHeight - place.scrollTop - place.clientHeight < 4;
  const wanted = new Set([...source.children].map(partKey));
  for (const part of [...place.children]) if (!wanted.has(partKey(part))) dropPart(part, place);
  let before: Element | null = null;
  for (const next of [...source.children]) {
    const here = [...place.children].find((part) => partKey(part) === partKey(next)) ?? null;
    const part: Element = here === null ? await adoptPart(next) : await updatePart(here, next);
    if (here === null && part.hasAttribute('aria-label')) news.push(part.getAttribute('aria-label') ?? '');
    if (part.previousElementSibling !== before || part.parentElement !== place)
      place.insertBefore(part, before === null ? place.firstElementChild : before.nextElementSibling);
    before = part;
  }
  if (isAtEnd) place.scrollTop = place.scrollHeight;
  return news;
}

/** Moves keyboard focus from a removed part to the nearest element around it, not to the top of the page. */
function dropPart(part: Element, place: Element): void {
  const had = part.contains(document.activeElement);
  part.remove();
  if (had) focusNear(place);
}

function focusNear(place: Element): void {
  const around = place.closest<HTMLElement>('[tabindex], section, main') ?? document.body;
  if (!around.hasAttribute('tabindex')) around.tabIndex = -1;
  around.focus();
}

function partKey(part: Element): string | null {
  return part.getAttribute('data-key');
}

async function adoptPart(next: Element): Promise<Element> {
  const part = document.importNode(next, true);
  sources.set(part, next.outerHTML);
  rememberParts(part);
  part.classList.add('arrived');
  await enhancePart(part);
  return part;
}

/**
 * Replaces a part. An outer container stays: its live parts are exchanged separately. A part with a focused input stays
 * too.
 */
async function updatePart(here: Element, next: Element): Promise<Element> {
  if (here.hasAttribute('data-shell')) {
    followStage(here, next);
    return here;
  }
  if (sources.get(here) === next.outerHTML || isBeingWritten(here)) return here;
  const part = document.importNode(next, true);
  sources.set(part, next.outerHTML);
  rememberParts(part);
  keepDetailsOpen(here, part);
  await enhancePart(part);
  const focus = focusIndex(here);
  here.replaceWith(part);
  if (focus !== null) {
    const twin = [...part.querySelectorAll<HTMLElement>(focusable)][focus];
    if (twin === undefined) focusNear(part);
    else twin.focus();
  }
  return part;
}

/** A step opens when it starts or fails, and closes when it ends; in between the reader decides. */
function followStage(here: Element, next: Element): void {
  const [old, fresh] = [here, next].map((part) =>
    part.querySelector<HTMLDetailsElement>(':scope > details[data-stage]'),
  );
  if (!old || !fresh || old.dataset['stage'] === fresh.dataset['stage']) return;
  old.dataset['stage'] = fresh.dataset['stage'] ?? '';
  old.open = fresh.open;
}

/** Applies the script's additions to the server's markup. */
export async function enhancePart(root: Element): Promise<void> {
  enableTicks(root);
  await drawCharts(root);
}

function isBeingWritten(part: Element): boolean {
  return [...part.querySelectorAll('textarea')].some((box) => box.value !== box.defaultValue);
}

/** Keeps open what the reader opened. */
function keepDetailsOpen(here: Element, part: Element): void {
  const fresh = [...withDescendants(part)];
  for (const [index, old] of [...withDescendants(here)].entries()) {
    const twin = fresh[index];
    if (twin !== undefined) twin.open = old.open;
  }
}

function* withDescendants(part: Element): Generator<HTMLDetailsElement> {
  if (part instanceof HTMLDetailsElement) yield part;
  yield* part.querySelectorAll('details');
}

const focusable = 'a, button, summary, input, select, textarea, [tabindex]';

function focusIndex(part: Element): number | null {
  const index = [...part.querySelectorAll(focusable)].indexOf(document.activeElement ?? part);
  return index === -1 ? null : index;
}
