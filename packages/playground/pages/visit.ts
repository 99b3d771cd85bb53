/** The context of one request for screens and acts: the speaker, the API with the speaker's token, and the address. */
import type { Api, Fetch } from './api/api.ts';
import type { Glance } from './glance.ts';
import type { Html } from './html.ts';
import type { PageRequest } from './page-request.ts';
import type { Panel } from './panel/panel.ts';
import type { Person } from './people.ts';

export type Visit = {
  readonly request: PageRequest;
  /** Reads and acts with the speaker's token. */
  readonly api: Api;
  readonly people: readonly Person[];
  readonly speaker: Person;
  /** `http://127.0.0.1:PORT`; stripped from the API's absolute addresses to make local paths. */
  readonly baseUrl: string;
  /** Markdown that the job wrote to `GITHUB_STEP_SUMMARY`, which GitHub's API does not return. Null = none. */
  readonly jobSummary: (jobId: number) => string | null;
  /** A job's log so far; GitHub's API returns a log only after the end. Null = nothing yet. */
  readonly jobLog: (jobId: number) => string | null;
  /** Offset in characters of each step in the job's log; null = not started. Empty: not recorded. */
  readonly stepOffsets: (jobId: number) => readonly (number | null)[];
  /** Stage of each job of a run by job id, ordered by `needs`. */
  readonly jobStages: (runId: number) => ReadonlyMap<number, number>;
  /** Buttons of a check run, which GitHub's API does not return. */
  readonly checkButtons: (checkRunId: number) => readonly CheckButton[];
  readonly glance: () => Glance | null;
  readonly pressButton: (press: ButtonPress) => Promise<PressOutcome>;
  /** Problems of the lab's config; null if the config is not checked. */
  readonly labConfig: () => Promise<ConfigNotice | null>;
  /** Example files for a lab without ferrybot, text by path. */
  readonly exampleFiles: () => Promise<Readonly<Record<string, string>>>;
  /** Inputs with which a workflow can be dispatched; null = it cannot. GitHub's API does not return them. */
  readonly dispatchInputs: (workflowId: number) => DispatchForm | null;
  /** Starts a job manually for a login; null: not possible on this cluster. */
  readonly startOwnJob: ((login: string) => Promise<StartedJob>) | null;
  /** Data and controls of the world's panel; null: there is no panel. */
  readonly panel: Panel | null;
  /** Guided stories that a newcomer can play. */
  readonly tries: readonly Try[];
};

/** A guided story: it starts with an issue form of the lab, and continues step by step in that issue. */
export type Try = {
  readonly title: string;
  /** Markdown: what the story demonstrates. */
  readonly about: string;
  /** File below `.github/ISSUE_TEMPLATE`, values for its fields, and the label of the issue that it opens. */
  readonly form: {
    readonly template: string;
    readonly answers: Readonly<Record<string, string>>;
    /** The field to fill with the newest commit of the default branch. */
    readonly commitField: string;
    readonly label: string;
  };
  readonly steps: readonly TryStep[];
};

export type TryStep = {
  /** Login of the person who does the step; null: it happens automatically. */
  readonly who: string | null;
  /** Markdown: the action and its effect. */
  readonly what: string;
  /** The comment to post, if it is the same for everyone. */
  readonly line: string | null;
};

/** A manually started job, in the form that `/watch` needs. */
export type StartedJob = { readonly jobId: string; readonly cluster: string; readonly experiment: string };

/** Declared inputs by name, in the order of the file. */
export type DispatchForm = Readonly<
  Record<
    string,
    {
      readonly type: string;
      readonly required: boolean;
      readonly default: string | null;
      readonly options: readonly string[];
    }
  >
>;

/** The result of `ferrybot check-config` for a config. */
export type ConfigNotice = {
  readonly state: 'missing' | 'valid' | 'invalid';
  readonly problems: readonly {
    readonly line: number;
    readonly column: number;
    readonly severity: string;
    readonly path: string;
    readonly message: string;
  }[];
};

export type CheckButton = { readonly label: string; readonly description: string; readonly identifier: string };

/** A click by `login` on the button `identifier` of a check run. */
export type ButtonPress = {
  readonly owner: string;
  readonly repo: string;
  readonly checkRunId: number;
  readonly identifier: string;
  readonly login: string;
};

export type PressOutcome = 'pressed' | 'unknown' | 'forbidden';

/** A screen's content; the layout adds the page frame. */
export type Screen =
  | { readonly kind: 'page'; readonly title: string; readonly header: Html | null; readonly body: Html }
  | { readonly kind: 'moved'; readonly to: string }
  /** Plain text without the page frame: a log to download or search. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing'; readonly message: string };

/** The outcome of an act: where to see it, or why it was refused. */
export type Outcome =
  | { readonly kind: 'done'; readonly to: string }
  | { readonly kind: 'refused'; readonly status: number; readonly message: string };

/** Path parameters of a route, by the name in its pattern. */
export type Params = Readonly<Record<string, string>>;

export type ScreenHandler = (visit: Visit, params: Params) => Promise<Screen>;
export type ActHandler = (visit: Visit, params: Params, form: URLSearchParams) => Promise<Outcome>;

/** The settings of `createPages`; `worldSettings(world)` provides all of them. */
export type PagesOptions = {
  /** The whole API in process (`world.fetch`), or `globalThis.fetch` against a running playground; must also answer `/_playground/people`. */
  readonly fetch: Fetch;
  readonly baseUrl: string;
  /** `owner/name` of the page at `/`. */
  readonly homeRepository?: string;
  /** Markdown of a job's summary, from the runner; without it no summaries are shown. */
  readonly jobSummary?: (jobId: number) => string | null;
  readonly jobLog?: (jobId: number) => string | null;
  readonly stepOffsets?: (jobId: number) => readonly (number | null)[];
  readonly jobStages?: (runId: number) => ReadonlyMap<number, number>;
  readonly checkButtons?: (checkRunId: number) => readonly CheckButton[];
  /** For the footer bar. */
  readonly glance?: () => Glance;
  /** Reports a click on a button of a check run to the App; GitHub's API has no request for that. */
  readonly pressButton?: (press: ButtonPress) => Promise<PressOutcome>;
  readonly labConfig?: () => Promise<ConfigNotice>;
  readonly startOwnJob?: (login: string) => Promise<StartedJob>;
  readonly exampleFiles?: () => Promise<Readonly<Record<string, string>>>;
  readonly panel?: Panel;
  readonly tries?: readonly Try[];
  readonly dispatchInputs?: (workflowId: number) => DispatchForm | null;
};
