/** One process of the bot in a lab on virtual time, composed like src's own compose-lab.ts. */

import { Octokit } from '@octokit/core';
import { createImages } from '../../src/app/images.ts';
import type { Lab } from '../../src/app/lab.ts';
import { askPythonForFix } from '../../src/app/small-fix.ts';
import type { CheckpointReader } from '../../src/domain/checkpoint/stored.ts';
import { brandAs, isDigest, isInstant, known, type Observed } from '../../src/domain/values.ts';
import { createClient } from '../../src/github/call.ts';
import { sha256Hex, verifyEd25519 } from '../../src/host/keys.ts';
import { openStore, type StoreOpener } from '../../src/stores/open.ts';
import type { InFlight } from './in-flight.ts';
import { readExperiment } from './read-experiments.ts';
import type { VirtualClock } from './virtual-clock.ts';
import type { VirtualLabOptions } from './virtual-lab.ts';
import type { Carrier, Wires } from './virtual-lab-carrier.ts';

type ComposerInput = {
  readonly options: Pick<
    VirtualLabOptions,
    'network' | 'helpers' | 'sendToChannel' | 'atBoundary' | 'python' | 'pythonVersion' | 'registry'
  >;
  readonly carrier: Carrier;
  readonly wires: Wires;
  readonly clock: VirtualClock;
  readonly inFlight: InFlight;
  readonly log: string[];
  readonly clients: Lab['client'][];
};

/** Composes processes that share a clock, a carrier and a log; each has its own name, token and keys. */
export function createComposer(
  input: ComposerInput,
): (process: string, token: () => Promise<string>, keys: Lab['signingKeys']) => Lab {
  const { options, carrier, wires, clock, inFlight, log, clients } = input;
  const ask = async (url: string, init: RequestInit): Promise<Response> => {
    inFlight.note();
    const request = new Request(url, init);
    const response = await (options.network?.(request, wires.fetch) ?? wires.fetch(request));
    inFlight.note();
    // Like fetch: without the token for a redirect to another host.
    const location = response.status === 302 ? response.headers.get('location') : null;
    return location === null ? response : ask(location, {});
  };
  const countAppend = createAppendCounter(clock);
  return (process, token, keys) => {
    const baseUrl = `${carrier.origin}/api/v3`;
    const octokit = new Octokit({ authStrategy: null, baseUrl, request: { fetch: ask }, log: quiet });
    octokit.hook.before('request', async (request) => {
      request.headers.authorization = `Bearer ${await token()}`;
    });
    const client = createClient({
      octokit,
      owner: 'lab',
      repo: 'ferries',
      baseUrl,
      sleep: clock.sleep,
      now: clock.now,
    });
    clients.push(client);
    const registry = options.registry ?? noRegistry;
    // Only the request stops the clock: between two retries it must move.
    const registryFetch = (url: string, init: RequestInit): Promise<Response> =>
      inFlight.track('a registry', () => registry(url, init));
    let crash: { readonly error: unknown } | null = null;
    return {
      repository: 'lab/ferries',
      client,
      gitAs: wires.gitOf(token),
      signingKeys: keys,
      hash: sha256Hex,
      digestOf: (text) => brandAs(`sha256:${sha256Hex(text)}`, isDigest),
      verifySignature: verifyOnce,
      readExperiment: async (source, file) =>
        options.python?.(process, file.python) ?? inFlight.track('Python', () => readExperiment(source, file)),
      pythonVersion: async (python) => options.pythonVersion?.(process, python) ?? known('3.11'),
      fixSmallMistake: (question, python) =>
        inFlight.track('Python', () => askPythonForFix(question, python, globalThis.process.env['PATH'] ?? '')),
      helpers: options.helpers ?? NO_HELPERS,
      sendToChannel: options.sendToChannel ?? (() => Promise.reject(new Error('this lab has no channels'))),
      stores: (path) => trackReads(openStore(virtualStores(clock), path), inFlight),
      images: createImages({}, { fetch: registryFetch, sleep: clock.sleep }),
      // All processes use GitHub's clock (docs/decisions/0116-react-to-any-trigger-the-same-way.md), as in
      // compose-lab.ts.
      now: () => brandAs(Math.trunc(clock.now() + client.clock.offsetMs), isInstant),
      log: (line, fields) => {
        // A crashed process logs nothing more, even if the error was caught.
        if (crash !== null) throw crash.error;
        log.push(`${process}: ${line} ${fields === undefined ? '' : JSON.stringify(fields)}`);
      },
      boundary: (kind, moment) => {
        try {
          if (kind === 'append' && moment === 'before') countAppend();
          options.atBoundary?.(process, kind, moment);
        } catch (error) {
          crash = { error };
          throw error;
        }
      },
    };
  };
}

/** More entries than people and jobs of one lab give reason for at one instant. */
const APPENDS_AT_ONCE_MAX = 300;

/** Throws once a process appends for ever, and at each later append: the clock stands still meanwhile, so that no test would end. */
function createAppendCounter({ now }: Pick<VirtualClock, 'now'>): () => void {
  let atMs = 0;
  let count = 0;
  return () => {
    if (count <= APPENDS_AT_ONCE_MAX) count = atMs === now() ? count + 1 : 1;
    atMs = now();
    if (count > APPENDS_AT_ONCE_MAX) throw new Error('too many appends at one instant: a decision repeats itself');
  };
}

/** A folder of this machine: the virtual clock waits while it is listed. */
function trackReads(store: Observed<CheckpointReader>, inFlight: InFlight): Observed<CheckpointReader> {
  if (store.kind === 'unknown') return store;
  const { list, newest, measure } = store.value;
  return known({
    ...store.value,
    list: (root) => inFlight.track('a listing', () => list(root)),
    newest: (root, wanted) => inFlight.track('a listing', () => newest(root, wanted)),
    measure: (path) => inFlight.track('a measure', () => measure(path)),
  });
}

function noRegistry(): Promise<Response> {
  return Promise.reject(new Error('this lab has no registry'));
}

/** Folders of this machine; waits use the virtual clock. */
export function virtualStores({ now, sleep }: Pick<VirtualClock, 'now' | 'sleep'>): StoreOpener {
  return {
    host: { fetch: () => Promise.reject(new Error('this lab has folders alone')), sleep },
    environment: {},
    now,
  };
}

/** Each job of a lab is a process without memory, so the same signatures are verified hundreds of times. */
const verified = new Map<string, boolean>();
const VERIFIED_MAX = 20_000;

function verifyOnce(publicKey: string, utf8: string, signature: string): boolean {
  const key = JSON.stringify([publicKey, utf8, signature]);
  const isGenuine = verified.get(key) ?? verifyEd25519(publicKey, utf8, signature);
  if (verified.size >= VERIFIED_MAX) verified.clear();
  verified.set(key, isGenuine);
  return isGenuine;
}

/** The virtual clock would overtake real programs. */
const NO_HELPERS: Lab['helpers'] = {
  ask: () => Promise.reject(new Error('this lab has no proposer')),
  check: () => Promise.reject(new Error('this lab has no checks')),
};

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
