import { spawnSync } from 'node:child_process'

const managers = ['npm', 'pnpm', 'yarn', 'bun']

/** Returns the package manager that runs this program, or npm. */
export function packageManager(): string {
  const agent = process.env['npm_config_user_agent'] ?? ''
  return managers.find((manager) => agent.startsWith(`${manager}/`)) ?? 'npm'
}

/** Installs the packages of an application. Throws if that fails. */
export function installPackages(manager: string, folder: string, server: string): void {
  const { npm_config_registry: registry, ...environment } = process.env
  // If npx ran this program from the server of the application, that server is set as the registry. It has only the
  // packages of Weft, so the installation must not use it for all packages.
  const isOwnServer = registry?.startsWith(`${server}/packages`)
  const env = isOwnServer ? environment : process.env
  // Windows runs package managers through a shell.
  const shell = process.platform === 'win32'
  const { status, error } = spawnSync(manager, ['install'], {
    cwd: folder,
    env,
    shell,
    stdio: 'inherit',
  })
  if (error) throw new Error(`${manager} cannot be run: ${error.message}`)
  if (status !== 0)
    throw new Error(
      `\`${manager} install\` failed in ${folder}; the files are complete, so repeat it there`,
    )
}
