/** Thrown at a boundary to end a process there; only the harness may catch it. */
export class Crash extends Error {}
