/** Files that execute code while Python is resolved, built or started, identified by path. */

/** Read by uv, pip, build backends and Python before the job's own code runs. */
const NAMES: ReadonlySet<string> = new Set([
  'pyproject.toml',
  'uv.lock',
  'uv.toml',
  'setup.py',
  'setup.cfg',
  'manifest.in',
  'hatch.toml',
  'hatch_build.py',
  'pdm.toml',
  'pdm.lock',
  'pdm_build.py',
  'poetry.lock',
  'poetry.toml',
  'pixi.toml',
  'pixi.lock',
  'pipfile',
  'pipfile.lock',
  'pip.conf',
  'conda.yaml',
  'environment.yml',
  'cargo.toml',
  'build.rs',
  'cmakelists.txt',
  'meson.build',
  'pyvenv.cfg',
  '.python-version',
  '.python-versions',
  // Version managers read these files to select the `python` or `uv` program.
  '.tool-versions',
  'mise.toml',
  '.mise.toml',
  'rust-toolchain',
  'rust-toolchain.toml',
  '.env',
  '.envrc',
  '.gitmodules',
  '.marin.yaml',
  'sitecustomize.py',
  'usercustomize.py',
]);

/** Virtual environments, installed packages, and tool settings that name programs. */
const FOLDERS: ReadonlySet<string> = new Set(['.venv', 'venv', 'site-packages', '.cargo', '.mise']);

/** Case-insensitive, as some file systems are. */
export function isBuildFile(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  const name = parts.at(-1) ?? '';
  return (
    NAMES.has(name) ||
    /^(requirements|constraints)[\w.-]*\.(txt|in)$/.test(name) ||
    name.endsWith('.pth') ||
    parts.slice(0, -1).some((folder) => FOLDERS.has(folder) || /\.(egg-info|dist-info)$/.test(folder))
  );
}
