/** Plain JSON to the expression evaluator's values and back. */

import { data } from '@actions/expressions';
import type { Json } from '../../world/json.ts';

type Value = ReturnType<data.Dictionary['values']>[number];

export function toData(value: Json): Value {
  if (value === null) return new data.Null();
  if (typeof value === 'string') return new data.StringData(value);
  if (typeof value === 'number') return new data.NumberData(value);
  if (typeof value === 'boolean') return new data.BooleanData(value);
  if (isList(value)) return new data.Array(...value.map(toData));
  return new data.Dictionary(...Object.entries(value).map(([key, item]) => ({ key, value: toData(item) })));
}

export function fromData(value: Value): Json {
  if (value instanceof data.StringData) return value.coerceString();
  if (value instanceof data.NumberData) return value.number();
  if (value instanceof data.BooleanData) return value.value;
  if (value instanceof data.Array) return value.values().map(fromData);
  if (value instanceof data.Dictionary) {
    return Object.fromEntries(value.pairs().map((pair) => [pair.key, fromData(pair.value)]));
  }
  return null;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
