/** Milliseconds of processor that this process needs for a task: what others do on the machine is not in it. */
export function cpuMs(task: () => unknown): number {
  return measured(task).ms;
}

/** The same, with what the task gave. */
export function measured<T>(task: () => T): { readonly value: T; readonly ms: number } {
  const before = process.cpuUsage();
  const value = task();
  const { user, system } = process.cpuUsage(before);
  return { value, ms: (user + system) / 1_000 };
}
