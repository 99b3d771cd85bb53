/** A parsed experiment file: its settings, and the code without them. Independent of the file format. */

/** A value's one-line text. Offsets are UTF-16 units of the file; `end` is exclusive. */
export type Value = {
  readonly text: string;
  /** Equal for values with the same type and value, independent of spelling. */
  readonly same: string;
  readonly start: number;
  readonly end: number;
  /** From 1. */
  readonly line: number;
  readonly isString?: true | undefined;
  /** Names that the value references. */
  readonly names?: readonly string[] | undefined;
  /** Entries of a mapping, or of a list that contains mappings. */
  readonly container?: string | undefined;
  readonly entries?: readonly Entry[] | undefined;
};

/** `segment` is appended to the parent's path; `knob` is absent if the key is not a plain name. */
export type Entry = Value & {
  readonly key: string;
  readonly segment: string;
  readonly knob?: string | undefined;
};

/** A value with a path that people use. `place` and `key` find it in another version of the file; the path does not. */
export type Setting = Value & {
  readonly place: number;
  readonly key: string;
  /** Before or after an expansion in its container. */
  readonly side?: number | undefined;
  /** For example `train.SimpleTrainConfig().learning_rate`. */
  readonly path: string;
  readonly knob: string;
};

/** One statement without its settings and nested statements. Equal code has equal `same`. */
export type CodeStatement = {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly same: string;
  /** The name bound by a top-level import, and the import's text. */
  readonly imports?: { readonly name: string; readonly text: string } | undefined;
};

export type ExperimentFile = {
  readonly kind: 'read';
  readonly text: string;
  readonly settings: readonly Setting[];
  /** The line of each container of settings. */
  readonly places: readonly number[];
  readonly code: readonly CodeStatement[];
  /** Names that the code references, except imports. */
  readonly names: readonly string[];
};

/** `unparsable`: the interpreter rejected the file, or a limit was reached; the message says how to fix it. */
export type Reading =
  | ExperimentFile
  | { readonly kind: 'unparsable'; readonly line: number; readonly message: string };

/** Never throws for an error of the file or the interpreter. */
export type ReadExperiment = (source: string | Uint8Array, python: string) => Promise<Reading>;

/** `ReadExperiment` with one lane's interpreter. */
export type ReadFile = (source: string) => Promise<Reading>;
