/** Numbers that are none: losses, gradients and activations. */

import { LOSS_NOT_FINITE } from '../../domain/launch/spoilt.ts';
import { named, type Row, rows } from '../row.ts';

/** A loss that is no number goes on being printed as progress; frameworks that look at it stop. */
export const NUMBER_ROWS: readonly Row[] = [
  ...rows('cause', 'nan', 'high', [
    named(LOSS_NOT_FINITE, /Progress on:train [^P]*\b[Ll]oss=[+-]?(?:[Nn][Aa][Nn]|[Ii]nf)/),
    /(?:grad(?:ient)?[ _]?norm is (?:nan|inf)|\b(?:nan|inf)s? (?:encountered|detected|found) (?:in|at)\b|\bdetected (?:nan|inf)s? (?:in|at)\b)(?!.{0,60}(?:skip|ignor))/i,
    /\bloss +(?:nan|-?inf)\b/i,
    /\b(?:train[_/ ]?|lm[_/ ]?|total[_/ ]?|step[_/ ]?)?loss['"]?(?: value)?\s{0,3}[:=|]\s{0,12}(?:tensor\()?['"]?[-+]?(?:nan|inf(?:inity)?)\b/i,
    // As frameworks name one of several, but not one that is only looked at or remembered.
    /(?:\b|(?<!best|min|lowest|val|valid|eval|test)_)loss(?:\/[a-z]{1,12}\/[a-z]{1,12}|\/[a-z]{1,12}|_(?:step|epoch|total|mean|avg))?['"]?\s{0,3}[:=|(]\s{0,3}(?:tensor\()?['"]?nan\b/i,
    /\bloss(?:es)? (?:went|go|turned|goes|are|tensor\() ?(?:to )?(?:nan|not finite|non-?finite)\b/i,
    /^(?:[\w.]{0,60}\.)?(?:Assertion|Runtime|Value)Error: .{0,20}\bNaNs?\b(?: in\b|!|$)/,
    /\bloss (?:is|was|became|of|contains|returned .{0,60}is) (?:an? )?(?:nan|inf(?:inite)?|not finite|non-?finite)\b/i,
    /(?:[Nn]on-?finite|NaN(?:s)?|NaN or Inf|inf or nan|nan\/inf) (?:loss|losses|grad(?:ient)?s?(?: norm)?|parameters?|weights?|values?)\b(?!.{0,60}(?:skip|ignor))/,
    /found (?:NaN|Inf)s? in (?:local )?(?:forward|grad|loss|param|activation)/i,
    /FloatingPointError: invalid value \((?:nan|inf)\)|FloatingPointError: .{0,60}(?:nan|overflow|invalid)/i,
    // It cannot go down further.
    /\bloss scale: [01](?:\.\d{1,6})?, reducing to\b|\boverflow detected, setting loss scale to: 0\.000/,
    /\bNanInfException\b|\b100(?:\.0{1,3})?% NaN\b/i,
    /number of nan iterations: {1,6}[1-9]/,
    /\bcannot convert float (?:NaN|infinity) to\b/,
    /Function '\w{1,80}' returned nan values/,
    /The loss returned in `?training_step`? is (?:nan|inf)/i,
    /Current loss scale already at minimum|Minimum loss scale reached|loss scale (?:has )?(?:reached|below) .{0,20}minimum/i,
    /(?:[Ll]oss|[Tt]raining|[Rr]un|[Mm]odel) (?:has )?(?:diverged|exploded|blew up)|[Dd]ivergence detected/,
    /(?:detected|encountered|contains?|got|produced) (?:a |an )?(?:nan|inf(?:inite)?|non-?finite)s?\b.{0,60}(?:loss|grad|activation|logit|weight|param|tensor|stop|abort|halt)/i,
    /(?:Probability|probability) tensor contains either `?inf`?, `?nan`?/,
    /to satisfy the constraint .{0,200}but found invalid values/,
  ]),
  ...rows('cause', 'nan', 'medium', [
    /FloatingPointError: |\bloss is probably exploding\b/,
    /jax_debug_nans|de-optimized function did not produce NaNs/,
    /grad(?:ient)?[_ /-]?norm['"]?\s{0,3}[:=|]\s{0,12}['"]?nan\b/i,
  ]),
];
