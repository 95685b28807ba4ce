/**
 * Settings of the application. The flag `enableCache` has no effect, because all reads are cached; it exists for
 * programs that set it.
 */
export class Environments {
  static environments: Record<string, any> = { enableCache: true }

  static getValue(key: string): any {
    return Environments.environments[key]
  }

  static setValue(key: string, value: any): typeof Environments {
    Environments.environments[key] = value
    return Environments
  }
}
