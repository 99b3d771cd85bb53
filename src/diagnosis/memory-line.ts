/** What a line says of the memory that is in use: of the accelerators, where it does not name another. */

const NUMBER = /(\d{1,9}(?:\.\d{1,6})?)/.source;
const UNIT = /%|[kMGT]i?B?/.source;
/** `memory`, `max mem`, `GPU_mem`, `memory/max_active (GiB)`. */
const NAME =
  /(?:(?:gpu|cuda|hbm|vram|peak|max)[ _/]){0,2}mem(?:ory)?(?:[ _/](?:used|usage|use|alloc|allocated|reserved|active|max|max_active|max_allocated|max_reserved)){0,2}/
    .source;
const MEMORY_IS = /['"]?(?: {0,3}[:=|] {0,3}| {1,3})['"]?/.source;
const MEMORY = new RegExp(
  `(?<![\\w/-])${NAME}(?: ?[([](${UNIT})[)\\]])?${MEMORY_IS}${NUMBER} ?(${UNIT})?(?![\\w.])(?: ?\\(${NUMBER}%\\))?`,
  'i',
);
/** Another memory, or the part of it that is not in use. */
const OTHER = /(?:cpu|host|ram|system|virtual|shared|pinned|free|available|avail|total|limit)[ _/-]?$/i;
const BEFORE_CHARS = 12;

/** `93.9%` where it says a share, else as much as it says, such as `44.6GiB`; null where it says nothing. */
export function memoryIn(line: string): string | null {
  const match = MEMORY.exec(line);
  if (match === null || OTHER.test(line.slice(Math.max(0, match.index - BEFORE_CHARS), match.index)))
    return null;
  const [, named, value = '', unit = named, share] = match;
  if (share !== undefined || unit === '%') return shareOf(Number(share ?? value));
  // torchvision's and OpenMMLab's loggers print whole MB without saying so; no other number without a unit says anything.
  if (unit === undefined) return /^\d{3,}$/.test(value) ? `${value}MB` : null;
  return `${Number(Number(value).toPrecision(4))}${/b$/i.test(unit) ? unit : `${unit}B`}`;
}

/** A share as it is recorded; null for what is none. */
export function shareOf(percent: number): string | null {
  return percent >= 0 && percent <= 100 ? `${Number(percent.toPrecision(3))}%` : null;
}
