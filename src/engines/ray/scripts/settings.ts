/** What the scripts of a lab need to be run: their templates, the folder of the default branch, and an environment of their own. */

/** Argument arrays with placeholders, as the config has them (src/config/ray-schema.ts describes each). */
export type ScriptTemplates = {
  readonly python: readonly string[];
  readonly pythonWithoutUv: readonly string[] | null;
  readonly submit: readonly string[];
  readonly environment: readonly string[];
  readonly readsVariables: readonly string[];
  readonly list: readonly string[];
  readonly logs: readonly string[];
  readonly stop: readonly string[];
  /** The cluster's own file, from the root of the checkout; {cluster} is filled in. */
  readonly clusterFile: string;
  /** Patterns, as in a .gitignore at the root, of what the submit script leaves out of what it ships. */
  readonly leavesOut: readonly string[];
  /** Names of files whose patterns what they name is left out by, in every folder. */
  readonly ignoreFiles: readonly string[];
  readonly timeoutMs: number;
};

export type ScriptSettings = {
  readonly cluster: string;
  readonly templates: ScriptTemplates;
  /** The folder with the default branch's files: launcher scripts are never those of the change that they launch. */
  readonly checkout: () => Promise<string>;
  /** Everything that a script gets beside HOME and what the job itself is given; no token of GitHub's. */
  readonly env: Readonly<Record<string, string>>;
  /** Contents of files of the private home, by their path in it. */
  readonly homeFiles: Readonly<Record<string, string>>;
  /** Where private homes are made, each for one call. */
  readonly temporaryDirectory: string;
  /** Values that no message may carry, beside those that a job is given. */
  readonly secrets: readonly string[];
  /** Between two looks at a job that was just submitted or stopped. */
  readonly sleep: (durationMs: number) => Promise<unknown>;
};
