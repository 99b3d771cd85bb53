/** Milliseconds of CPU time that this process needs for a task, independent of other processes. */
export function measureCpuMs(task: () => unknown): number {
  return measureCpu(task).ms;
}

/** The same, with the task's result. */
export function measureCpu<T>(task: () => T): { readonly value: T; readonly ms: number } {
  const before = process.cpuUsage();
  const value = task();
  const { user, system } = process.cpuUsage(before);
  return { value, ms: (user + system) / 1_000 };
}
