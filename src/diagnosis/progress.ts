/** Whether a line shows that training went on, in the words of any trainer. */

/** `loss`: whether the loss that it prints is a number; null where it prints none. */
export type ProgressSign = { readonly loss: 'finite' | 'not-finite' | null };

/** Null for a line that shows no step. */
export function progressSign(text: string): ProgressSign | null {
  const loss = LOSS.exec(text)?.[1];
  const said = loss === undefined ? null : /^[-+]?\d/.test(loss) ? 'finite' : 'not-finite';
  // A loss of nothing beside a gradient that is no number is none either.
  const sign = said === 'finite' && GRADIENT.test(text) ? 'not-finite' : said;
  if (BAR.test(text) || COUNTED.test(text)) return { loss: sign };
  return sign !== null && STEP.test(text) ? { loss: sign } : null;
}

/** Levanter's and tqdm's bars. */
const BAR = /Progress on:\w{1,20} |\d{1,3}%\|[^|]{0,200}\| ?[\d.]{1,12}[kKMG]?\/[\d.]{1,12}/;
const LOSS = /\bloss['"]?\s{0,3}[:=| ]\s{0,3}(?:tensor\()?['"]?([-+]?(?:\d|nan|inf))/i;
const GRADIENT = /grad(?:ient)?[_ /-]?norm['"]?\s{0,3}[:=|]\s{0,3}['"]?nan\b/i;
const COUNTED =
  /^\W{0,3}(?:global_?)?(?:step|iter|iteration)[ =:]{1,8}\d|\bstep=\d{1,12}, skipped=|global_step=\d/i;
const STEP =
  /\b(?:step|steps|global_step|it|iter|iters|iteration|epoch|batch|update)s?['"]?[ :=#/|[(]{0,12}\d/i;
