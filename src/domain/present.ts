/** Records have no entry for what is missing, and the compiler knows keys that may be undefined from keys that may be missing. */

type Present<Value> = {
  readonly [Key in keyof Value as undefined extends Value[Key] ? never : Key]: Value[Key];
} & {
  readonly [Key in keyof Value as undefined extends Value[Key] ? Key : never]?: Exclude<
    Value[Key],
    undefined
  >;
};

/** The value without keys that are undefined. */
export function present<const Value extends object>(value: Value): Present<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Present<Value>;
}
