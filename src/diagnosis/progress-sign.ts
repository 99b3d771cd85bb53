/** What a line of a log shows of a step. */

/** `loss`: whether the loss that it prints is a number; null where it prints none. */
export type ProgressSign = { readonly loss: 'finite' | 'not-finite' | null };

/** Null for a line that shows no step. */
export function progressSign(text: string): ProgressSign | null {
  // The sum of a whole run is no step of it.
  if (text.includes('train_runtime')) return null;
  const loss = LOSS.exec(text)?.[1];
  const said = loss === undefined ? null : /^[-+]?\d/.test(loss) ? 'finite' : 'not-finite';
  // A loss of nothing beside a gradient that is no number is none either.
  const sign = said === 'finite' && GRADIENT.test(text) ? 'not-finite' : said;
  if (BAR.test(text) || COUNTED.test(text)) return { loss: sign };
  return sign !== null && (STEP.test(text) || OF_SO_MANY.test(text)) ? { loss: sign } : null;
}

/** Levanter's and tqdm's bars. */
const BAR = /Progress on:\w{1,20} |\d{1,3}%\|[^|]{0,200}\| ?[\d.]{1,12}[kKMG]?\/[\d.]{1,12}/;
const LOSS = /(?:\b|_)loss['"]?\s{0,3}[:=| ]\s{0,12}(?:tensor\()?['"]?([-+]?(?:\d|nan|inf))/i;
const GRADIENT = /grad(?:ient)?[_ /-]?norm['"]?\s{0,3}[:=|]\s{0,12}['"]?nan\b/i;
const COUNTED =
  /^\W{0,3}(?:global_?)?(?:step|iter|iteration)[ =:]{1,8}\d|\bstep=\d{1,12}, skipped=|global_step['"]?\s{0,2}[=:]\s{0,2}\d|\biter(?:ation)? \d{1,12}\/\d|^\[batch=\d{1,12}\/\d/i;
/** So many of so many, whatever they are called. */
const OF_SO_MANY = /(?<![\w./-])\d{1,9} {0,3}\/ {0,3}\d{1,9}(?![\w./-])/;
const STEP =
  /\b(?:step|steps|global_step|it|iter|iters|iteration|epoch|batch|update)s?['"]?[ :=#/|[(]{0,12}\d/i;
