/** The settings of the `local` engine. */

/** What the engine needs from its surroundings. */
export type LocalEngineOptions = {
  /** Absolute; one folder a job lies in it. It must outlive the runner's checkout. */
  readonly directory: string;
  readonly now: () => number;
  /** The Node that runs the supervisor; default: the one that runs this. */
  readonly nodePath?: string;
  /** The least environment a program needs; default: this process's PATH and LANG. */
  readonly baseEnv?: Readonly<Record<string, string>>;
  readonly stopGraceMs?: number;
};

/** The options with their defaults filled in. */
export type LocalSettings = Required<LocalEngineOptions>;
