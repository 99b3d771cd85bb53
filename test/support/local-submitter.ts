/** What a separate process needs to submit a local job: the engine, and a capability for it. */

export { createLocalEngine } from '../../src/engines/local/engine.ts';
export { submitTo } from './capabilities.ts';
