/** Everything a screen or an act may know about one request: who speaks, the API in their name, and where they are. */
import type { Api, Fetch } from './api/api.ts';
import type { Glance } from './glance.ts';
import type { Html } from './html.ts';
import type { PageRequest } from './page-request.ts';
import type { Panel } from './panel/panel.ts';
import type { Person } from './people.ts';

export type Visit = {
  readonly request: PageRequest;
  /** Asks and acts with the speaker's token. */
  readonly api: Api;
  readonly people: readonly Person[];
  readonly speaker: Person;
  /** `http://127.0.0.1:PORT`; the API's absolute addresses become local paths by taking it off. */
  readonly baseUrl: string;
  /** Markdown that the job wrote to `GITHUB_STEP_SUMMARY`; GitHub's API does not tell it. Null = none. */
  readonly jobSummary: (jobId: number) => string | null;
  /** What a job has said so far; GitHub's API gives a log only after the end. Null = nothing yet. */
  readonly jobLog: (jobId: number) => string | null;
  /** Where in the job's log each of its steps begins, in characters; null = not yet. Empty: nobody noted it. */
  readonly stepOffsets: (jobId: number) => readonly (number | null)[];
  /** Stage of each job of a run, by job id, as `needs` order them. */
  readonly jobStages: (runId: number) => ReadonlyMap<number, number>;
  /** Buttons of a check run; GitHub's API does not tell them. */
  readonly checkButtons: (checkRunId: number) => readonly CheckButton[];
  readonly glance: () => Glance | null;
  readonly pressButton: (press: ButtonPress) => Promise<PressOutcome>;
  /** What is to be said about the lab's config; null where nobody judges it. */
  readonly labConfig: () => Promise<ConfigNotice | null>;
  /** Files that a lab without ferrybot may begin with, text by path. */
  readonly exampleFiles: () => Promise<Readonly<Record<string, string>>>;
  /** Inputs with which a workflow can be dispatched; null = it cannot. GitHub's API does not tell them. */
  readonly dispatchInputs: (workflowId: number) => DispatchForm | null;
  /** Starts a job by hand, in the name of a login; null: not on this cluster. */
  readonly startOwnJob: ((login: string) => Promise<StartedJob>) | null;
  /** What the world's panel shows and turns; null: there is none. */
  readonly panel: Panel | null;
  /** Stories of this lab that a newcomer can play. */
  readonly tries: readonly Try[];
};

/** A story to try: it begins with an issue form of the lab, and goes on in that issue, step by step. */
export type Try = {
  readonly title: string;
  /** Markdown: what it shows. */
  readonly about: string;
  /** File below `.github/ISSUE_TEMPLATE`, what its fields are filled in with, and the label of the issue that it opens. */
  readonly form: {
    readonly template: string;
    readonly answers: Readonly<Record<string, string>>;
    /** The field that gets the newest commit of the default branch. */
    readonly commitField: string;
    readonly label: string;
  };
  readonly steps: readonly TryStep[];
};

export type TryStep = {
  /** Login of who does it; null: nobody, it happens by itself. */
  readonly who: string | null;
  /** Markdown: what is done, and what comes of it. */
  readonly what: string;
  /** The comment, where it is the same for everybody. */
  readonly line: string | null;
};

/** A job that somebody has started by hand, in the words of `/watch`. */
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

/** A config as `ferrybot check-config` judges it. */
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

export type CheckButton = {
  readonly label: string;
  readonly description: string;
  readonly identifier: string;
};

/** A click of `login` on the button `identifier` of a check run. */
export type ButtonPress = {
  readonly owner: string;
  readonly repo: string;
  readonly checkRunId: number;
  readonly identifier: string;
  readonly login: string;
};

export type PressOutcome = 'pressed' | 'unknown' | 'forbidden';

/** A page as a screen gives it; the layout adds the frame around it. */
export type Screen =
  | { readonly kind: 'page'; readonly title: string; readonly header: Html | null; readonly body: Html }
  | { readonly kind: 'moved'; readonly to: string }
  /** As it is, without a frame: a log to be kept or searched. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing'; readonly message: string };

/** What came of an act: where to look at it, or why it was refused. */
export type Outcome =
  | { readonly kind: 'done'; readonly to: string }
  | { readonly kind: 'refused'; readonly status: number; readonly message: string };

/** Path parameters of a route, by the name in its pattern. */
export type Params = Readonly<Record<string, string>>;

export type ScreenHandler = (visit: Visit, params: Params) => Promise<Screen>;
export type ActHandler = (visit: Visit, params: Params, form: URLSearchParams) => Promise<Outcome>;

/** The settings of `createPages`; `worldSettings(world)` gives them all. */
export type PagesOptions = {
  /** The whole API in process (`world.fetch`), or `globalThis.fetch` against a running playground; must also answer `/_playground/people`. */
  readonly fetch: Fetch;
  readonly baseUrl: string;
  /** `owner/name` that `/` leads to. */
  readonly homeRepository?: string;
  /** Markdown of a job's summary, from the runner; without it no summaries are shown. */
  readonly jobSummary?: (jobId: number) => string | null;
  readonly jobLog?: (jobId: number) => string | null;
  readonly stepOffsets?: (jobId: number) => readonly (number | null)[];
  readonly jobStages?: (runId: number) => ReadonlyMap<number, number>;
  readonly checkButtons?: (checkRunId: number) => readonly CheckButton[];
  /** For the bar at the foot. */
  readonly glance?: () => Glance;
  /** Tells the App that somebody pressed a button on its check run; GitHub's API has no request for that. */
  readonly pressButton?: (press: ButtonPress) => Promise<PressOutcome>;
  readonly labConfig?: () => Promise<ConfigNotice>;
  readonly startOwnJob?: (login: string) => Promise<StartedJob>;
  readonly exampleFiles?: () => Promise<Readonly<Record<string, string>>>;
  readonly panel?: Panel;
  readonly tries?: readonly Try[];
  readonly dispatchInputs?: (workflowId: number) => DispatchForm | null;
};
