/** The data of a YAML, TOML or JSON file with positions: what the settings of an experiment file are made from. */

/** A value, or `code`: something whose own text is not all that it does, such as an anchor or an alias. */
export type DataNode = { readonly start: number; readonly end: number } & (
  | {
      readonly kind: 'scalar';
      readonly text: string;
      /** The same inside brackets, if other text is needed there. */
      readonly inBrackets?: string;
      readonly same: string;
      readonly isString: boolean;
    }
  | { readonly kind: 'map'; readonly pairs: readonly DataPair[] }
  | { readonly kind: 'list'; readonly items: readonly DataNode[] }
  | { readonly kind: 'code'; readonly same: string }
);

/** `name` is null for a key that is no text; `same` identifies the key, `text` is its source, and `start` where its line is. */
export type DataPair = {
  readonly start: number;
  readonly name: string | null;
  readonly same: string;
  readonly text: string;
  readonly value: DataNode;
};

/** What a format's parser made of a text. `around`: code of the file as a whole, such as a directive in a comment. */
export type DataReading =
  | { readonly kind: 'read'; readonly root: DataNode; readonly around: readonly (DataNode & { kind: 'code' })[] }
  | { readonly kind: 'unparsable'; readonly line: number; readonly message: string };

/** Equal for values of the same type and value, and for no others. */
export function sameOf(value: unknown): string {
  switch (typeof value) {
    case 'bigint':
      return `int:${value}`;
    case 'number':
      return `float:${Object.is(value, -0) ? '-0' : value}`;
    case 'string':
      return `str:${value}`;
    default:
      return String(value);
  }
}

/** One text for several: equal only if all parts are. */
export function joined(parts: readonly string[]): string {
  return parts.map((part) => `${part.length}:${part}`).join('');
}
