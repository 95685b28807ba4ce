/** The base class of widgets, which the contract does not export. */
export declare class BaseWidget {
  data: any
  element: any
  elementIdentifier: number
  widgetMounted: boolean
  inDevelopment: boolean
  subscribers: any[]
  createWidgetWrapperIdentifier(): number
  dataChange(callback: (value: any) => any): void
  notify(value?: any): void
  getComponent(): any
  getElementById(identifier: string): any
}
