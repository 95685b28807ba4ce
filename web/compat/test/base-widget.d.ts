/** The base class of widgets. The wire contract does not export it. */
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
