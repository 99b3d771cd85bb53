/** Thrown at a boundary to end a process there; nobody may catch it but the harness. */
export class Crash extends Error {}
