/** An experiment file as it was read: its settings, and the code that remains without them. The same for every file format. */

/** The text of a value on one line, and what tells it apart. Offsets count UTF-16 units of the file's text, `end` is exclusive. */
export type Value = {
  readonly text: string;
  /** Equal for values of the same type and value, whatever their spelling. */
  readonly same: string;
  readonly start: number;
  readonly end: number;
  /** From 1. */
  readonly line: number;
  readonly isString?: true | undefined;
  /** Names that the value uses. */
  readonly names?: readonly string[] | undefined;
  /** The parts of a mapping, and of a list with mappings in it. */
  readonly container?: string | undefined;
  readonly entries?: readonly Entry[] | undefined;
};

/** A part of a value. `segment` follows the path of the whole; `knob` is left out where the key is not a plain name. */
export type Entry = Value & {
  readonly key: string;
  readonly segment: string;
  readonly knob?: string | undefined;
};

/** A value in a place that a person would name. `place` and `key` find it in another version of the file, and the path does not. */
export type Setting = Value & {
  readonly place: number;
  readonly key: string;
  /** On which side of an expansion in its container the setting is. */
  readonly side?: number | undefined;
  /** E.g. `train.SimpleTrainConfig().learning_rate`. */
  readonly path: string;
  readonly knob: string;
};

/** One statement without its settings and without the statements in its blocks. Equal code has equal `same`. */
export type CodeStatement = {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly same: string;
  /** The name that an import at the top level binds, and the import as text. */
  readonly imports?: { readonly name: string; readonly text: string } | undefined;
};

/** A file that its interpreter accepts. */
export type ExperimentFile = {
  readonly kind: 'read';
  readonly text: string;
  readonly settings: readonly Setting[];
  /** The line of each container of settings. */
  readonly places: readonly number[];
  readonly code: readonly CodeStatement[];
  /** Names that the code uses, imports aside. */
  readonly names: readonly string[];
};

/** `unparsable`: the file is refused, or could not be read within the limits; the message says what a person can do. */
export type Reading =
  | ExperimentFile
  | { readonly kind: 'unparsable'; readonly line: number; readonly message: string };

/** Reads a file with the given interpreter. Never throws for what the file or the interpreter does. */
export type ReadExperiment = (source: string | Uint8Array, python: string) => Promise<Reading>;

/** The same with the interpreter of one lane. */
export type ReadFile = (source: string) => Promise<Reading>;
