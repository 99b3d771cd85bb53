/** When a job may end itself before its last step: what a contract says of that, and when it is too little (policy VA, Early-Stop Policy Guardrail). */

/** `patience`: evaluations without a gain of `minDelta` before it stops; never before `minSteps`. Decimals are text. */
export type EarlyStop = { readonly minSteps: number; readonly patience: number; readonly minDelta: string };

const PARTS =
  /^min_steps\s{0,3}[=:]\s{0,3}(\d{1,9})[\s,;]{1,5}patience\s{0,3}[=:]\s{0,3}(\d{1,6})[\s,;]{1,5}min_delta\s{0,3}[=:]\s{0,3}(\d{1,9}(?:\.\d{1,12}|e-\d)?)$/i;

/** Null where the text is none. */
export function readEarlyStop(text: string): EarlyStop | null {
  const [, minSteps, patience, minDelta] = PARTS.exec(text.trim()) ?? [];
  return minSteps === undefined || patience === undefined || minDelta === undefined
    ? null
    : { minSteps: Number(minSteps), patience: Number(patience), minDelta: plainDecimal(minDelta) };
}

/** `1e-3` is 0.001. */
function plainDecimal(text: string): string {
  const [digits = '', power] = text.toLowerCase().split('e-');
  return power === undefined ? text : Number(text).toFixed(Number(power)) || digits;
}

/** In the one form in which it is recorded. */
export function earlyStopText({ minSteps, patience, minDelta }: EarlyStop): string {
  return `min_steps=${minSteps} patience=${patience} min_delta=${minDelta}`;
}

/**
 * What a stop has to leave room for: half of the training, several evaluations, and gains as small as a curve has that
 * still falls. Less has ended comprehensive finetunings before they began to pay.
 */
export const EARLY_STOP = { sharePercent: 50, patience: 5, minDeltaMost: 0.01 } as const;

/** Which parts of it would stop a good run, in its own words; `finalStep` null: nobody knows how long it is. */
export function tooSmall(
  { minSteps, patience, minDelta }: EarlyStop,
  finalStep: number | null,
): readonly string[] {
  const least = finalStep === null ? null : Math.ceil((finalStep * EARLY_STOP.sharePercent) / 100);
  return [
    // rule VA-30
    ...(least !== null && minSteps < least ? [`min_steps=${minSteps}, at least ${least}`] : []),
    ...(patience < EARLY_STOP.patience ? [`patience=${patience}, at least ${EARLY_STOP.patience}`] : []),
    ...(Number(minDelta) > EARLY_STOP.minDeltaMost
      ? [`min_delta=${minDelta}, at most ${EARLY_STOP.minDeltaMost}`]
      : []),
  ];
}
