/** Names of files by which resolving, building or starting Python runs code: told by their paths alone. */

/** Read by uv, pip, the build backends and Python itself before a line of the job runs. */
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
  // What stands for `python` or `uv` on a machine may ask these files of the folder which program it is.
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

/** Virtual environments, in which uv looks for an interpreter and starts it, their copies of packages, and settings of tools that name programs. */
const FOLDERS: ReadonlySet<string> = new Set(['.venv', 'venv', 'site-packages', '.cargo', '.mise']);

/** Whether a path of the repository is such a file. Letters count as one in both cases: some disks take them so. */
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
