/** Settings of the application. The flag `enableCache` exists for programs that set it: all reads are cached. */
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
