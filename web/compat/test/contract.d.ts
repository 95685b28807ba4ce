import type { BaseWidget } from './base-widget.d.ts'

/** Types that the signatures mention but the package does not export. */
type TreeNode = any
type UserNode = any
type ConnectionNode = any
type ConnectionTypeNode = any
interface FormFieldData {
  value?: any
  file?: any
  required?: boolean
  isUnique?: boolean
}
interface FormErrors {
  [fieldName: string]: { [check: string]: string }
}
interface WidgetDetails {
  widgetId: number
  mainId: number
  conceptIds: number[]
  linkers: number[]
  reverse: number[]
  mainCompositionIds: number[]
  countinfo: any[]
}
interface LogData {
  [member: string]: any
}
interface listeners {
  listenerId: string | number
  callback: any
  createdAt: number
}
interface TCustomFunction {
  id?: number
  name: string
  slug?: string
  code: string
}
interface TMainLibrary {
  css: { order: any; url: string }[]
  js: { order: any; url: string }[]
}
interface TAssistant {
  id: any
  input: any
  type: any
}
interface PrototypeOption {
  type: string
  value: string
}
interface QuerySelector {
  filterType: string
  selector: string
}
interface EmailBody {
  toAddress: string
  heading: string
  body?: string
  attachments?: string[]
}
interface BulkEmailBody {
  ccAddresses: string[]
  heading: string
  toAddress?: string
  body?: string
  attachments?: string[]
}
type RecursiveSearchObservable = DependencyObserver
type GetLinkObservable = DependencyObserver
type GetLinkListObservable = DependencyObserver
type GetCompositionObservable = DependencyObserver
type GetCompositionListObservable = DependencyObserver

export declare const ADMIN: 3
export declare const ALLID: 6
export declare const DATAID: 2
export declare const DATAIDDATE: 4
export declare const DATAV2: 8
export declare const JUSTDATA: 3
export declare const LISTNORMAL: 7
export declare const NORMAL: 1
export declare const PRIVATE: 4
export declare const PUBLIC: 5
export declare const RAW: 5
export declare const createFormFieldData: (fieldName: string) => FormFieldData
export declare const handleServiceWorkerException: (error: any) => void
export declare const hasActivatedSW: boolean
export declare const sendEmail: (
  body: FormData | EmailBody | BulkEmailBody,
  token: string,
  bulk?: boolean,
) => Promise<any>
export declare const serviceWorker: any
export declare const subscribedListeners: listeners[]
export declare const validDocumentFormats: string[]
export declare const validImageFormats: string[]
export interface FreeschemaResponse {
  message: string
  status: boolean
  statusCode: number
  data: any
}
export interface InnerActions {
  concepts: Concept[]
  connections: Connection[]
}
export interface SigninModel {
  email: string
  password: string
}
export interface SignupModel {
  email: string
  password: string
}
export declare class AccessTracker {
  constructor()
  static conceptsData: any
  static connectionsData: any
  static SYNC_INTERVAL_MS: any
  static nextSyncTime: any
  static activateStatus: any
  static accessData: any
  static incrementConcept(conceptId: number): void
  static incrementConnection(connectionId: number): void
  static getTopConcepts(n: number): [number, number][]
  static getTopConnections(n: number): [number, number][]
  static saveDataToLocalStorage(): void
  static loadDataFromLocalStorage(): void
  static sendToServer(): Promise<void>
  static syncToServer: any
  static setNextSyncTime: any
  static startAutoSync: any
  static syncNow: any
  static GetSuggestedConcepts(top?: number): Promise<any>
  static GetSuggestedConnections(top?: number): Promise<any>
  static addConceptToBinaryTree: any
  static addConnectionToBinaryTree: any
}
export declare class Anomaly {
  constructor()
  static anomalyParamsCache: any
  static cacheInitialized: any
  static lastFetchedTime: any
  static cacheExpiryThreshold: any
  static initializeAnomalyParameters: any
  static getAnomalyParameters(): Promise<any>
  static fetchAnomalyParameters: any
  static refreshCache: any
  static checkAnomalyInBulk(
    formData: Record<string, FormFieldData>,
  ): Promise<Record<string, { valid: boolean; warnings: string[] }>>
  static getExportedFunction(): string[]
  static getFunctionaAnomalyParameters: any
  detectDataType(value: string): string | null
  checkConceptAnomaly(
    typeConcept: string,
    value: string | null,
  ): Promise<{ valid: boolean; warnings: string[] }>
}
export declare class BaseUrl {
  constructor()
  static BASE_URL: any
  static NODE_CACHE_URL: any
  static AI_URL: any
  static MQTT_URL: any
  static NODE_URL: any
  static LOG_SERVER: any
  static MQTT_CONNECTION: any
  static BASE_APPLICATION: any
  static DOCUMENTATION_WIDGET: any
  static isNearestCache: any
  static isPwa: any
  static FLAGS: any
  static BASE_RANDOMIZER: any
  static setRandomizer(id: number): void
  static getRandomizer(): number
  static GetConceptUrl(): string
  static GetConnectionUrl(): string
  static GetConceptBulkUrl(): string
  static GetConnectionBulkUrl(): string
  static GetAllConceptsOfUserUrl(): string
  static GetAllConnectionsOfUserUrl(): string
  static GetAllConnectionsOfCompositionUrl(): string
  static GetAllConnectionsOfCompositionBulkUrl(): string
  static GetConceptByCharacterValueUrl(): string
  static GetConceptByCharacterAndTypeUrl(): string
  static GetConceptByCharacterAndCategoryUrl(): string
  static GetConceptByCharacterAndCategoryDirectUrl(): string
  static GetCharacterByCharacterUrl(): string
  static GetAllConceptsByTypeUrl(): string
  static GetAllConnectionsOfConceptUrl(): string
  static GetAllConnectionsToConceptUrl(): string
  static GetAllAiData(): string
  static getAppConfig(): string
  static PostPrefetchConceptConnections(): string
  static GetSuggestedConcepts(): string
  static GetSuggestedConnections(): string
  static PostLogger(): string
  static LogHealth(): string
  static GetAllPrefetchConnectionsUrl(): string
  static GetAllLinkerConnectionOfConceptUrl(): string
  static GetAllLinkerConnectionToConceptUrl(): string
  static DeleteConceptUrl(): string
  static DeleteUserUrl(): string
  static RecursiveSearchUrl(): string
  static SearchLinkMultipleAllApiUrl(): string
  static MakeTheNameInBackendUrl(): string
  static SearchAllTypeWithLinker(auth?: boolean): string
  static LoginUrl(): string
  static SignupUrl(): string
  static GetCompositionConnectionBetweenTwoConceptsUrl(): string
  static SearchCompositionsUrl(): string
  static SearchLinkMultipleAll(): string
  static CreateSessionId(): string
  static CreateSessionVisitUrl(): string
  static ViewInternalDataUrl(): string
  static SearchInternalWithAuthenticatedCcsUrl(): string
  static SearchInternalWithCcsUrl(): string
  static CreateGhostConceptApiUrl(withAuth?: boolean): string
  static CreateGhostConnectionApiUrl(): string
  static GetRealConceptById(): string
  static GetReservedIdUrl(): string
  static GetReservedConnectionIdUrl(): string
  static CreateTheTextDataUrl(): string
  static CreateTheCharacterDataUrl(): string
  static CreateTheConceptUrl(): string
  static CreateTheConnectionUrl(): string
  static CreateTheConnectionNewUrl(): string
  static MakeTheTypeConceptUrl(): string
  static DeleteTheConnectionUrl(): string
  static DeleteTheConnectionBulkUrl(): string
  static GetTypeConceptBulk(): string
  static UploadFileLimitUrl(): string
  static FreeschemaQueryUrl(): string
  static uploadImageUrl(): string
  static uploadImageUrlWithSmall(): string
  static uploadFileUrl(): string
  static sendMail(): string
  static sendBulkMail(): string
  static getWidgetData(): string
  static getLatestWidgetData(): string
  static getRecentWidgetData(): string
  static getConnectionsByTypes(): string
  static CreatePrototypeUrl(): string
  static GetCachedImage(ImageName: string): string
}
export declare class BinaryTree {
  constructor()
  static root: any
  static conceptMap: any
  static addNodeToTree(node: TreeNode): void
  static waitForDataToLoad(): Promise<unknown>
  static checkFlag(resolve: any): any
  static addConceptToTree(concept: Concept): void
  static getNodeFromTree(id: number): Promise<TreeNode | null>
  static removeNodeFromTree(id: number): Promise<void>
  static getConceptListFromIds(
    ids: number[],
    conceptArray: Concept[],
    remainingIds: any,
  ): Promise<void>
  static countNumberOfNodes(): number
}
export declare class BuilderStatefulWidget extends StatefulWidget {
  constructor()
  childComponents: any
  componentMounted: boolean
  oldHtml: HTMLElement
  onmountVal: any
  addEventVal: any
  phonebooks: any
  childrenData: any
  addEventFunction: any
  componentDidMountFunction: any
  mountChildWidgetsFunction: any
  childWidgets: any
  typeValueList: any
  widgetType: string
  parentConceptList: any
  customFunctions: TCustomFunction[]
  widgetDependenciesData: string
  getUserId(): Promise<any>
  getTypeValueList(typeName?: string): Promise<unknown>
  setTitle(title: string): void
  getHtml(): string
  createRandomNumber(): number
  mount_child(): Promise<void>
  setProperty(widgetTypeName: any): Promise<BuilderStatefulWidget>
  createTypeEditor(event: any): void
  mount(parent: HTMLElement): Promise<void>
  render_widgetDependencies(): void
  render_custom_functions(): void
  before_render(): void
  after_render(): void
  CreateConnectionBetweenEntityLocal(
    concept1Data: Concept,
    concept2Data: Concept,
    linker: string,
  ): Promise<string>
}
export declare class Composition {
  constructor()
  id: number
  mainConcept: Concept
  connections: Connection[]
  concepts: Concept[]
  subcompositions: number[]
  cached: any
  updateCache(): Promise<void>
  UpdateAcrossDistributedSystem(): void
  isUpdating(): void
  GetDataCache(): any
}
export declare class CompositionBinaryTree {
  constructor()
  static root: any
  static addNodeToTree(node: CompositionNode): CompositionNode | undefined
  static addCompositionToTree(composition: Composition): void
  static getNodeFromTree(id: number): Promise<CompositionNode | null>
  static removeNodeFromTree(id: number): Promise<void>
  static countNumberOfNodes(): number
}
export declare class CompositionNode {
  constructor(
    key: number,
    value: Composition,
    leftNode: CompositionNode | null,
    rightNode: CompositionNode | null,
  )
  expiryTime: Date
  key: number
  value: Composition
  leftNode: CompositionNode
  rightNode: CompositionNode
  height: number
  isValid(): boolean
  saveToCache(data: any): void
  addNode(
    passedNode: CompositionNode,
    node: CompositionNode | null,
    height: number,
  ): CompositionNode | null
  rightRotate(y: CompositionNode | null): CompositionNode | null
  leftRotate(x: CompositionNode | null): CompositionNode | null
  getHeight(node: CompositionNode | null): number
  getBalanceFactor(N: CompositionNode | null): number
  getFromNode(id: number, node: CompositionNode | null): CompositionNode | null
  removeNode(passedNode: CompositionNode | null, id: number): CompositionNode | null
  countNodeBelow(root: CompositionNode | null): number
  inOrderSuccessor(root: CompositionNode): CompositionNode
}
export declare class Concept {
  constructor(
    id: number,
    userId: number,
    typeId: number,
    categoryId: number,
    referentId: number | null,
    characterValue: string,
    accessId: number,
    isNew: boolean | undefined,
    entryTimeStamp: Date | string,
    updatedTimeStamp: Date | string,
    typeCharacter: string,
  )
  id: number
  ghostId: number
  count: number
  userId: number
  typeId: number
  categoryId: number
  accessId: number
  characterValue: string
  typeCharacter: string
  entryTimeStamp: string | Date
  referentId: number
  updatedTimeStamp: string | Date
  referent: void | Concept
  type: void | Concept
  isNew: boolean
  isComposition: boolean
  isTemp: boolean
  isSynced: boolean
  applicationId: number
  x: number
  y: number
  getType(): void
}
export declare class ConceptsData {
  constructor()
  static conceptsArray: any
  static NPC: any
  static conceptDictionary: any
  static CheckContains(concept: Concept): boolean
  static AddNpc(id: number): void
  static GetNpc(id: number): boolean
  static AddConceptToStorage(concept: Concept): void
  static GetConceptBulkData(
    ids: number[],
    connectionArray: Concept[],
    remainingIds: any,
  ): Promise<void>
  static AddWidget(widgetDetails: WidgetDetails): void
  static AddConcept(concept: Concept): void
  static AddConceptToMemory(concept: Concept): void
  static AddConceptTemporary(concept: Concept): void
  static RemoveConcept(concept: Concept): void
  static GetWidget(id: number): Promise<WidgetDetails>
  static RemoveWidget(id: number): Promise<any>
  static GetConcept(id: number): Promise<any>
  static GetConceptByCharacter(characterValue: string): Promise<Concept>
  static GetConceptByCharacterUpdated(characterValue: string): Promise<Concept>
  static GetConceptByCharacterAndTypeLocal(
    character_value: string,
    typeId: number,
  ): Promise<Concept>
  static GetConceptByCharacterAndCategoryLocal(
    character_value: string,
    categoryId: number,
  ): Promise<Concept>
  static GetConceptsByTypeId(typeId: number): Concept[]
  static GetConceptsByTypeIdAndUser(typeId: number, userId: number): Promise<any>
  static GetBinaryCharacterTree(): TreeNode | null
  name: string
  getName(): string
}
export declare class Connection {
  constructor(
    id: number | undefined,
    ofTheConceptId: number,
    toTheConceptId: number,
    userId: number,
    typeId: number,
    orderId: number,
    accessId: number,
  )
  id: number
  count: number
  userId: number
  ghostId: number
  ofTheConceptId: number
  toTheConceptId: number
  entryTimeStamp: string | Date
  terminationDateTime: Date
  typeId: number
  orderId: number
  accessId: number
  typeCharacter: string
  localSyncTime: Date
  isTemp: boolean
  toUpdate: boolean
  applicationId: number
  type: Concept
  ofConcept: Concept
  toConcept: Concept
}
export declare class ConnectionData {
  constructor()
  static deletedConnections: any
  static connectionArray: any
  static connectionDictionary: any
  static CheckContains(connection: Connection): boolean
  static AddConnectionToStorage(connection: Connection): void
  static AddNpConn(id: number): void
  static GetNpConn(id: number): boolean
  static AddConnection(connection: Connection): void
  static AddConnectionToMemory(connection: Connection): void
  static AddToDictionary(connection: Connection): void
  static RemoveConnection(connection: Connection): void
  static GetConnectionTypeOfTree(): void
  static GetConnectionByOfTheConceptAndType(ofTheConceptId: number, typeId: number): Promise<any>
  static GetConnectionByOfType(ofTheConceptId: number, typeId: number): any
  static GetConnectionTree(): ConnectionNode | null
  static GetConnectionTypeTree(): ConnectionTypeNode | null
  static GetConnectionBulkData(
    ids: number[],
    connectionArray: Connection[],
    remainingIds: any,
  ): Promise<void>
  static GetConnection(id: number): Promise<any>
  static GetConnectionsOfCompositionLocal(id: number): Promise<any>
  static GetConnectionsOfConcept(id: number): Promise<any>
  name: string
  getName(): string
}
export declare class CountInfo {
  constructor()
  conceptId: number
  connectionTypeId: number
  connectionType: string
  count: number
}
export declare class DependencyObserver {
  constructor()
  subscribers: any[]
  mainConcept: number
  compositionIds: number[]
  conceptIds: number[]
  internalConnections: number[]
  reverse: number[]
  linkers: number[]
  newIds: number[]
  dependency: number[]
  isDataLoaded: boolean
  isUpdating: boolean
  data: any
  fetched: boolean
  format: number
  eventHandlers: { [key: string]: (event: Event) => void }
  listenToEventType(id: number): void
  listenToEvent(id: number): void
  removeListenToEvent(id: number): void
  listenToEventConnectionType(id: number, connectionType: number): void
  bind(): Promise<void>
  run(): Promise<void>
  update(): Promise<void>
  subscribe(callback: any, errorCallback?: (error: Error) => void): any
  execute(): Promise<void>
  unsubscribe(callback: any): number
  notify(): void
}
export declare class Environments {
  constructor()
  static environments: any
  static getValue(key: string): any
  static setValue(key: string, value: any): typeof Environments
}
export declare class FilterSearch {
  constructor()
  type: string
  search: string
  logicoperator: string
  index: number
  composition: boolean
  name: string
  operateon: string
}
export declare class FreeschemaQuery {
  constructor()
  type: string
  inpage: number
  page: number
  concepts: Concept[]
  conceptIds: number[]
  selectors: string[]
  freeschemaQueries: FreeschemaQuery[]
  filters: FilterSearch[]
  filterLogic: string
  typeConnection: string
  order: string
  outputFormat: number
  name: string
  filterAncestor: string
  reverse: boolean
  limit: boolean
  isSecure: boolean
  includeInFilter: boolean
  isOldConnectionType: boolean
  cache: boolean
}
export declare class LConcept {
  constructor(
    id: number,
    userId: number,
    typeId: number,
    categoryId: number,
    accessId: number,
    characterValue: string,
    typeCharacter: string,
    isNew: boolean | undefined,
    entryTimeStamp: Date,
    updatedTimeStamp: Date,
    referentId: number,
  )
  id: number
  structureType: string
  ghostId: number
  userId: number
  typeId: number
  categoryId: number
  accessId: number
  characterValue: string
  typeCharacter: string
  entryTimeStamp: Date
  referentId: number
  updatedTimeStamp: Date
  type: void | Concept | LConcept
  isNew: boolean
  isComposition: boolean
  isTemp: boolean
  isSynced: boolean
  applicationId: number
  getType(): void
}
export declare class LConnection {
  constructor(
    id: number,
    ofTheConceptId: number,
    toTheConceptId: number,
    typeId: number,
    orderId: number,
    accessId: number,
  )
  id: number
  ghostId: number
  ofTheConceptId: number
  toTheConceptId: number
  entryTimeStamp: string | Date
  terminationDateTime: Date
  accessId: number
  typeId: number
  orderId: number
  typeCharacter: string
  localSyncTime: Date
  isTemp: boolean
  applicationId: number
  type: Concept
}
export declare class LocalConceptsData {
  constructor()
  static localconceptsArray: any
  static AddConcept(concept: Concept): void
  static AddPermanentConcept(concept: Concept): void
  static RemoveConcept(concept: Concept): Promise<void>
  static RemoveConceptById(conceptId: number): Promise<void>
  static AddConceptToMemory(concept: Concept): void
  static GetConcept(id: number): Promise<Concept>
  static UpdateConceptSyncStatus(id: number): Promise<void>
  static GetConceptByGhostId(id: number): Promise<Concept>
  static GetConceptByCharacter(characterValue: string): Promise<Concept>
  static GetConceptByCharacterAndTypeLocal(
    character_value: string,
    typeId: number,
  ): Promise<Concept>
  static GetConceptByCharacterAndCategoryLocal(
    character_value: string,
    categoryId: number,
  ): Promise<Concept>
  static GetConceptsByTypeId(typeId: number): Concept[]
  static GetConceptsByTypeIdAndUser(typeId: number, userId: number): Promise<Concept[]>
  static ClearData(): Promise<void>
  name: string
  getName(): string
}
export declare class LocalSyncData {
  constructor()
  static conceptsSyncArray: any
  static connectionSyncArray: any
  static ghostIdMap: any
  static transactionCollections: any
  static CheckContains(concept: Concept): boolean
  static SyncDataDelete(id: number): void
  static CheckContainsConnection(connection: Connection): boolean
  static AddConcept(concept: Concept): void
  static RemoveConcept(concept: Concept): void
  static SyncDataOnlineWithoutAuth(
    transactionId?: string,
    actions?: InnerActions,
    withAuth?: boolean,
  ): Promise<any>
  static SyncDataOnline(
    transactionId?: string,
    actions?: InnerActions,
    withAuth?: boolean,
  ): Promise<any>
  static ConvertGhostIdsInConnections(connectionArray: Connection[]): void
  static UpdateConceptListToIncludeRelatedConcepts(
    connectionArray: Connection[],
    conceptsArray: Concept[],
  ): Promise<void>
  static AddConceptIfDoesNotExist(concept: Concept, conceptList?: Concept[]): void
  static CheckIfTheConceptIdExists(id: number, conceptList?: Concept[]): Concept
  static AddConnection(connection: Connection): void
  static RemoveConnection(connection: Connection): void
  static RemoveConnectionById(connectionId: number): void
  static syncDataLocalDb(): Promise<string>
  static initializeTransaction(transactionId: string): Promise<any>
  static markTransactionActions(transactionId: string, actions: InnerActions): Promise<any>
  static rollbackTransaction(transactionId: string, actions: InnerActions): Promise<any>
}
export declare class LocalTransaction {
  constructor()
  transactionId: string
  actions: InnerActions
  success: boolean
  initialize(): Promise<void>
  commitTransaction(): Promise<void>
  commitTransactionWithoutAuth(): Promise<void>
  rollbackTransaction(): Promise<void>
  markAction(): Promise<void>
  MakeTheInstanceConceptLocal(
    type: string,
    referent: string,
    composition: boolean | undefined,
    userId: number,
    accessId: number,
    sessionInformationId?: number,
    referentId?: number,
  ): Promise<any>
  MakeTheTypeConceptLocal(
    typeString: string,
    sessionId: number,
    sessionUserId: number,
    userId: number,
  ): Promise<Concept>
  CreateTheConceptLocal(
    referent: string,
    typecharacter: string,
    userId: number,
    categoryId: number,
    typeId: number,
    accessId: number,
    isComposition?: boolean,
    referentId?: number | null,
    actions?: InnerActions,
  ): Promise<any>
  CreateConnectionBetweenTwoConceptsLocal(
    ofTheConcept: Concept,
    toTheConcept: Concept,
    linker: string,
    both?: boolean,
  ): Promise<any>
  CreateTheConnectionLocal(
    ofTheConceptId: number,
    toTheConceptId: number,
    typeId: number,
    orderId?: number,
    typeString?: string,
    userId?: number,
  ): Promise<any>
  CreateConnection(
    ofTheConcept: Concept,
    toTheConcept: Concept,
    connectionTypeString: string,
  ): Promise<any>
  CreateConnectionBetweenEntityLocal(
    concept1Data: Concept,
    concept2Data: Concept,
    linker: string,
  ): Promise<any>
  CreateTheCompositionLocal(
    json: any,
    ofTheConceptId?: number | null,
    ofTheConceptUserId?: number | null,
    mainKey?: number | null,
    userId?: number | null,
    accessId?: number | null,
    sessionInformationId?: number | null,
    automaticSync?: boolean,
  ): Promise<any>
}
export declare class Logger {
  constructor()
  static isLoggerActive: any
  static lastCheck: any
  static checkInterval: any
  static logLevel: any
  static packageLogsData: any
  static applicationLogsData: any
  static LOG_LEVELS: any
  static SYNC_INTERVAL_MS: any
  static nextSyncTime: any
  static appLogs: any
  static mftsccsBrowser: any
  static logApplicationActivationStatus: any
  static logPackageActivationStatus: any
  static autoSyncInterval: any
  static startAutoSync: any
  static stopAutoSync: any
  static setLogLevel(level: string): void
  static shouldLog: any
  static formatLogData(level: string, message: string, data?: LogData): any
  static log(
    level: 'INFO' | 'ERROR' | 'DEBUG' | 'WARNING',
    message: string,
    data?: any | null,
  ): void
  static logUpdate(logData: LogData): {} | undefined
  static logfunction(myFunction: string, ...args: any[]): any
  static logError(
    startTime: number,
    userId: string | number,
    operationType?: 'read' | 'create' | 'update' | 'delete' | 'search',
    requestFrom?: string,
    requestIP?: string,
    responseStatus?: number,
    responseData?: any,
    functionName?: string,
    functionParameters?: any[],
    userAgent?: string,
    conceptsUsed?: string[],
  ): void
  static logApplication(level: string, message: string, data?: any): void
  static checkLoggerServerStatus(): Promise<void>
  static sendApplicationLogsToServer(): Promise<void>
  static sendPackageLogsToServer(): Promise<void>
  static saveLogToLocalStorage: any
  static clearLogsFromLocalStorage: any
}
export declare class PatcherStructure {
  constructor()
  compositionId: number
  userId: number
  sessionId: number
  accessId: number
  ofTheCompositionId: number
  patchObject: any
}
export declare class Prototype {
  constructor()
  prototype: string
  required: string[]
  optional: string[]
  field: string
  childPrototypes: Prototype[]
  isCompositional: boolean
  options: PrototypeOption[]
  isQueryType: boolean
  querySelector: QuerySelector
  concepts: Concept[]
  connections: Connection[]
  addedConcepts: Concept[]
  addedConnections: Connection[]
}
export declare class SearchLinkMultipleAllObservable extends DependencyObserver {
  constructor(searchQuery: SearchQuery[], token: string, format?: number)
  searchQuery: SearchQuery[]
  format: number
  bind(): Promise<any>
}
export declare class SearchQuery {
  constructor()
  composition: number
  type: string
  linker: string
  inpage: number
  page: number
  listLinkers: string[]
  fullLinkers: string[]
  textSearch: string
  logic: string
  reverse: boolean
  doFilter: boolean
  filterSearches: FilterSearch[]
  selectors: string[]
  ofCompositions: number[]
}
export declare class SearchStructure {
  constructor()
  type: string
  search: string
  composition: string
  internalComposition: string
  userId: number
  inpage: number
  page: number
  auth: boolean
}
export declare class Selector extends StatefulWidget {
  constructor(
    mainType: string,
    selector: string,
    parentElement: HTMLElement,
    filterType?: string,
    inpage?: number,
  )
  selector: string
  mainType: string
  mainDetails: any
  filterType: string
  query: any
  inpage: number
  parentDomElement: HTMLElement
  before_render(): void
  addFilter(value: string): void
  after_render(): void
  getHtml(): string
}
export declare class SessionData {
  constructor()
  id: string
  remote_address: string
  server_port: string
  server_address: string
  server_name: string
  server_software: string
  http_user_agent: string
  self: string
  port: string
  userId: string
  email: string
}
export declare class StatefulWidget extends BaseWidget {
  constructor()
  params: any
  html: string
  css: string
  js: string
  state: { [key: string]: any }
  previousState: { [key: string]: any }
  childWidgets: any
  childWidgetElement: any
  parentWidget: any
  widgetState: { [key: string]: any }
  parentElement: string
  querySelector(selector: string): Element | null
  querySelectorAll(selector: string): NodeListOf<Element> | null
  getElement(): HTMLElement | null
  setTitle(title: string): void
  getHtml(): string
  UpdateChildData(value: any, widget: StatefulWidget): void
  update(): void
  setState(newState: any): void
  setStateProperty(newProperty: Object): void
  hasStateChanged(): boolean
  isPropertyEqual: any
  loadChildWidgets(): void
  render(): void
  getElementByClassName(identifier: string): never[] | NodeListOf<Element>
  mount_child(): void
  mount(parent: HTMLElement): Promise<void>
  before_render(): void
  after_render(): void
  renderChildWidgets(): void
  setWidgetState(key: string, value: any): void
  getWidgetState(key: string, defaultValue: any): object
}
export declare class SyncData {
  constructor()
  static conceptsSyncArray: any
  static connectionSyncArray: any
  static CheckContains(concept: Concept): boolean
  static SyncDataDelete(id: number): void
  static CheckContainsConnection(connection: Connection): boolean
  static AddConcept(concept: Concept): void
  static RemoveConcept(concept: Concept): void
  static AddConnection(connection: Connection): void
  static RemoveConnection(connection: Connection): void
  static SyncDataOnline(): Promise<any>
}
export declare class TokenStorage {
  constructor()
  static BearerAccessToken: any
  static refreshToken: any
  static sessionId: any
  static setSession(sessionId: any): void
  static saveUserProfile(signinResponse: any): Promise<boolean>
  static restoreProfile(): Promise<Record<string, any> | null>
  static logout(): void
}
export declare class UserBinaryTree {
  constructor()
  static root: any
  static compositeKey(userId: number, sessionId: number): string
  static addNodeToTree(node: UserNode): UserNode | undefined
  static waitForDataToLoad(): Promise<unknown>
  static checkFlag(resolve: any): any
  static addConceptToTree(concept: Concept, userId: number, sessionId?: number): void
  static getNodeFromTree(userId: number, sessionId: number): Promise<UserNode | null>
  static removeNodeFromTree(userId: number, sessionId?: number): Promise<void>
  static countNumberOfNodes(): number
}
export declare class Validator {
  constructor()
  checkUniqueness(type: string, value: string): Promise<boolean>
  validateField(options: FormFieldData): Promise<{ [fieldName: string]: string }>
  validateForm(formData: { [key: string]: FormFieldData }): Promise<FormErrors>
  validate(options: FormFieldData): any
}
export declare class WidgetTree {
  constructor()
  id: number
  name: string
  html: string
  css: string
  js: string
  library: TMainLibrary
  assistant: TAssistant
  timestamp: string
  widgetId: number
  type: string
  clean: string
  after_render: string
  before_render: string
  custom_functions: TCustomFunction[]
  update: string
  origin: number
  version: number
  mount_child: string
  children: WidgetTree[]
  wrapper: string
  widget: BuilderStatefulWidget
  sChildId: number
  isPublished: boolean
  useLatest: boolean
  dependency: string
  root: number
}
export declare function AddGhostConcept(
  concept: Concept,
  userId: number,
  sessionId?: number,
): Promise<void>
export declare function BuildWidgetFromId(id: number): Promise<any>
export declare function CreateComposition(
  json: any,
  ofTheConceptId?: number | null,
  ofTheConceptUserId?: number | null,
  mainKey?: number | null,
  userId?: number | null,
  accessId?: number | null,
  sessionInformationId?: number | null,
): Promise<any>
export declare function CreateConnection(
  ofTheConcept: Concept,
  toTheConcept: Concept,
  connectionTypeString: string,
  actions?: InnerActions,
): Promise<any>
export declare function CreateConnectionBetweenEntityLocal(
  concept1Data: Concept,
  concept2Data: Concept,
  linker: string,
  actions?: InnerActions,
): Promise<any>
export declare function CreateConnectionBetweenTwoConcepts(
  ofTheConcept: Concept,
  toTheConcept: Concept,
  linker: string,
  both?: boolean,
  count?: boolean,
): Promise<any>
export declare function CreateConnectionBetweenTwoConceptsGeneral(
  ofTheConcept: Concept,
  toTheConcept: Concept,
  linker: string,
  both?: boolean,
  count?: boolean,
): Promise<Connection>
export declare function CreateConnectionBetweenTwoConceptsLocal(
  ofTheConcept: Concept,
  toTheConcept: Concept,
  linker: string,
  both?: boolean,
  actions?: InnerActions,
): Promise<any>
export declare function CreateData(
  json: any,
  ofConcept?: Concept | null,
  typeConcept?: string,
  actions?: InnerActions,
): Promise<any>
export declare function CreateDefaultConcept(): Concept
export declare function CreateDefaultLConcept(): Concept
export declare function CreateSession(sessionData: SessionData): Promise<any>
export declare function CreateSessionVisit(sessionId: number, url: string): Promise<any>
export declare function CreateTheCompositionLocal(
  json: any,
  ofTheConceptId?: number | null,
  ofTheConceptUserId?: number | null,
  mainKey?: number | null,
  userId?: number | null,
  accessId?: number | null,
  sessionInformationId?: number | null,
  automaticSync?: boolean,
  actions?: InnerActions,
): Promise<any>
export declare function CreateTheCompositionWithCache(
  json: any,
  ofTheConceptId?: number | null,
  ofTheConceptUserId?: number | null,
  mainKey?: number | null,
  userId?: number | null,
  accessId?: number | null,
  sessionInformationId?: number | null,
  composition?: Composition | null,
): Promise<Concept>
export declare function CreateTheConnection(
  ofTheConceptId: number,
  userId: number,
  toTheConceptId: number,
  typeId: number,
): Connection
export declare function CreateTheConnectionGeneral(
  ofTheConceptId: number,
  ofTheConceptUserId: number,
  toTheConceptId: number,
  typeId: number,
  orderId?: number,
  accessId?: number,
): Promise<Connection>
export declare function CreateTheConnectionLocal(
  ofTheConceptId: number,
  toTheConceptId: number,
  typeId: number,
  orderId?: number,
  typeString?: string,
  userId?: number,
  actions?: InnerActions,
): Promise<any>
export declare function DelayFunctionExecution(ms: number, callback: any): Promise<unknown>
export declare function DeleteConceptById(id: number): Promise<any>
export declare function DeleteConceptLocal(id: number): Promise<any>
export declare function DeleteConnectionById(id: number): Promise<any>
export declare function DeleteConnectionByIdBulk(ids: number[]): Promise<any>
export declare function DeleteConnectionByType(id: number, linker: string): Promise<any>
export declare function DeleteConnectionByTypeBulk(id: number, linkers: string[]): Promise<any>
export declare function DeleteUser(id: number): Promise<any>
export declare function FormatFromConnections(
  linkers: number[],
  compositionData: any[],
  mainComposition: number,
  reverse?: number[],
): Promise<any>
export declare function FormatFromConnectionsAltered(
  connections: Connection[],
  compositionData: any[],
  mainComposition: number,
  reverse?: number[],
): Promise<any>
export declare function FreeschemaQueryApi(query: FreeschemaQuery, token?: string): Promise<any>
export declare function GetAllConnectionsOfComposition(
  composition_id: number,
): Promise<Connection[]>
export declare function GetAllConnectionsOfCompositionBulk(composition_ids?: number[]): Promise<any>
export declare function GetAllTheConnectionsByTypeAndOfTheConcept(
  id: number,
  linker: string,
  reverse?: boolean,
): Promise<any>
export declare function GetComposition(id: number): Promise<any>
export declare function GetCompositionBulk(conceptIds?: number[]): Promise<any[]>
export declare function GetCompositionBulkWithDataId(conceptIds?: number[]): Promise<any[]>
export declare function GetCompositionFromConnectionsWithDataId(
  conceptIds?: number[],
  connectionIds?: number[],
): Promise<any>
export declare function GetCompositionFromConnectionsWithDataIdFromConnections(
  conceptIds?: number[],
  connectionIds?: number[],
): Promise<any>
export declare function GetCompositionFromConnectionsWithDataIdInObject(
  conceptIds?: number[],
  connections?: number[],
): Promise<any>
export declare function GetCompositionFromConnectionsWithDataIdIndex(
  conceptIds?: number[],
  connectionIds?: number[],
): Promise<any>
export declare function GetCompositionFromConnectionsWithIndex(
  conceptIds?: number[],
  connectionIds?: number[],
): Promise<any>
export declare function GetCompositionFromConnectionsWithIndexFromConnections(
  conceptIds?: number[],
  connectionIds?: number[],
): Promise<any>
export declare function GetCompositionFromMemoryWithConnections(
  id: number,
  connectionList: Connection[],
): Promise<any>
export declare function GetCompositionList(
  compositionName: string,
  userId: number,
  inpage?: number,
  page?: number,
): Promise<any>
export declare function GetCompositionListAll(
  compositionName: string,
  userId: number,
  inpage?: number,
  page?: number,
): Promise<any[]>
export declare function GetCompositionListAllWithId(
  compositionName: string,
  userId: number,
  inpage?: number,
  page?: number,
): Promise<any>
export declare function GetCompositionListListener(
  compositionName: string,
  userId: number,
  inpage: number,
  page: number,
  format?: number,
): GetCompositionListObservable
export declare function GetCompositionListLocal(
  compositionName: string,
  userId: number,
): Promise<any>
export declare function GetCompositionListLocalWithId(
  compositionName: string,
  userId: number,
): Promise<any>
export declare function GetCompositionListWithId(
  compositionName: string,
  userId: number,
  inpage?: number,
  page?: number,
): Promise<any>
export declare function GetCompositionListWithIdUpdated(
  compositionName: string,
  userId: number,
  inpage?: number,
  page?: number,
): Promise<any>
export declare function GetCompositionListener(
  id: number,
  format?: number,
): GetCompositionObservable
export declare function GetCompositionLocal(id: number): Promise<any>
export declare function GetCompositionLocalWithId(id: number): Promise<any>
export declare function GetCompositionWithAllIds(id: number): Promise<any>
export declare function GetCompositionWithCache(
  id: number,
  connectionListPassed?: Connection[],
): Promise<any>
export declare function GetCompositionWithDataIdBulk(
  ids: number[],
  connections: number[],
): Promise<any[]>
export declare function GetCompositionWithDataIdWithCache(
  id: number,
  connectionListPassed?: Connection[],
): Promise<any>
export declare function GetCompositionWithId(id: number): Promise<any>
export declare function GetCompositionWithIdAndDateFromMemory(id: number): Promise<any>
export declare function GetConceptBulk(passedConcepts: number[]): Promise<Concept[]>
export declare function GetConceptByCharacter(characterValue: string): Promise<any>
export declare function GetConceptByCharacterAndCategoryLocal(character: string): Promise<any>
export declare function GetConceptByCharacterAndType(
  characterValue: string,
  typeId: number,
): Promise<any>
export declare function GetConnectionBetweenTwoConceptsLinker(
  ofTheConcept: Concept,
  toTheConcept: Concept,
  linker: string,
  fullLinker: string,
  forward?: boolean,
): Promise<any>
export declare function GetConnectionBulk(connectionIds?: number[]): Promise<Connection[]>
export declare function GetConnectionById(id: number): Promise<any>
export declare function GetConnectionDataPrefetch(connectionIds: number[]): Promise<Connection[]>
export declare function GetConnectionOfTheConcept(
  typeId: number,
  ofTheConceptId: number,
  userId: number,
  inpage?: number,
  page?: number,
): Promise<any>
export declare function GetConnectionTypeForCount(countInfos: CountInfo[]): Promise<any>
export declare function GetFreeschemaImage(url: string, format?: string): Promise<any>
export declare function GetFreeschemaImageUrl(url: string, format?: string): string
export declare function GetImageApi(
  imageName: string,
): Promise<ReadableStream<Uint8Array> | null | undefined>
export declare function GetLink(
  id: number,
  linker: string,
  inpage?: number,
  page?: number,
): Promise<any>
export declare function GetLinkListListener(
  searchStructure: SearchStructure,
  searchQuery: SearchQuery[],
  token: string,
  format?: number,
): GetLinkListObservable
export declare function GetLinkListener(
  id: number,
  linker: string,
  inpage: number,
  page: number,
  format?: number,
): GetLinkObservable
export declare function GetLinkRaw(
  id: number,
  linker: string,
  inpage?: number,
  page?: number,
): Promise<Concept[]>
export declare function GetLinkerConnectionFromConcepts(id: number): Promise<Connection[]>
export declare function GetLinkerConnectionToConcepts(id: number): Promise<Connection[]>
export declare function GetRelation(
  id: number,
  relation: string,
  inpage?: number,
  page?: number,
  reverse?: boolean,
): Promise<any>
export declare function GetRelationLocal(id: number, relation: string, userId: number): Promise<any>
export declare function GetRelationNew(
  id: number,
  relation: string,
  inpage?: number,
  page?: number,
  reverse?: boolean,
): Promise<void>
export declare function GetRelationRaw(
  id: number,
  relation: string,
  inpage?: number,
  page?: number,
  reverse?: boolean,
): Promise<any>
export declare function GetTheConcept(id: number, userId?: number): Promise<Concept>
export declare function GetTheConceptLocal(id: number): Promise<any>
export declare function GetUserGhostId(
  userId: number,
  ghostId: number,
  sessionId?: number,
): Promise<Concept>
export declare function LogEvent(EventName: string, EventDescription: string, event: any): void
export declare function LoginToBackend(
  email: string,
  password: string,
  application?: string,
): Promise<any>
export declare function MakeTheInstanceConcept(
  type: string,
  referent: string,
  composition: boolean | undefined,
  userId: number,
  passedAccessId?: number,
  passedSessionId?: number,
  referentId?: number,
): Promise<any>
export declare function MakeTheInstanceConceptLocal(
  type: string,
  referent: string,
  composition: boolean | undefined,
  userId: number,
  accessId: number,
  sessionInformationId?: number,
  referentId?: number,
  actions?: InnerActions,
): Promise<any>
export declare function MakeTheTimestamp(
  type: string,
  referent: string,
  userId: number,
  accessId?: number,
  sessionInformationId?: number,
): Promise<any>
export declare function MakeTheTypeConceptApi(type: string, userId: number): Promise<Concept>
export declare function MakeTheTypeConceptLocal(
  typeString: string,
  sessionId: number,
  sessionUserId: number,
  userId: number,
  actions?: InnerActions,
): Promise<Concept>
export declare function RecursiveSearchApi(
  composition?: number,
  listLinkers?: string[],
  textSearch?: string,
  fullLinkers?: string[],
): Promise<any>
export declare function RecursiveSearchApiNewRawFullLinker(
  composition?: number,
  fullLinkers?: string[],
  textSearch?: string,
): Promise<any>
export declare function RecursiveSearchApiRaw(
  composition?: number,
  listLinkers?: string[],
  textSearch?: string,
  fullLinkers?: string[],
): Promise<any>
export declare function RecursiveSearchApiRawFullLinker(
  composition?: number,
  fullLinkers?: string[],
  textSearch?: string,
): Promise<any>
export declare function RecursiveSearchApiWithInternalConnections(
  composition?: number,
  listLinkers?: string[],
  textSearch?: string,
): Promise<any>
export declare function RecursiveSearchListener(
  id: number,
  linkers: string[],
  searchText?: string,
  format?: number,
): RecursiveSearchObservable
export declare function SchemaQuery(query: FreeschemaQuery, token: string): Promise<void>
export declare function SchemaQueryListener(
  query: FreeschemaQuery,
  token: string,
): SearchLinkMultipleAllObservable
export declare function SearchAllConcepts(
  type: string,
  search: string,
  composition: string,
  token: string,
  inpage?: number,
  page?: number,
): Promise<any>
export declare function SearchLinkInternal(
  searchQuery: SearchStructure,
  token?: string,
): Promise<any[]>
export declare function SearchLinkInternalAll(
  searchQuery: SearchStructure,
  token?: string,
): Promise<any>
export declare function SearchLinkMultipleAll(
  searchQuery: SearchQuery[],
  token?: string,
  caller?: any,
  format?: number,
): Promise<any>
export declare function SearchLinkMultipleApi(
  searchQuery: SearchQuery[],
  token?: string,
): Promise<any>
export declare function SearchWithLinker(searchQuery: SearchQuery[], token?: string): Promise<any>
export declare function SearchWithTypeAndLinker(
  searchStructure: SearchStructure,
  searchQuery: SearchQuery[],
  token?: string,
): Promise<any>
export declare function SearchWithTypeAndLinkerApi(
  searchStructure: SearchStructure,
  searchQuery: SearchQuery[],
  token?: string,
): Promise<any>
export declare function Signin(signinInfo: SigninModel): Promise<FreeschemaResponse | undefined>
export declare function Signup(signupModel: SignupModel): Promise<FreeschemaResponse | undefined>
export declare function SignupEntity(signupData: any): Promise<any>
export declare function SplitStrings(typeString: string): string[]
export declare function TrashTheConcept(id: number, token: string): Promise<void>
export declare function UpdateComposition(patcherStructure: PatcherStructure): Promise<any>
export declare function UpdateCompositionLocal(
  patcherStructure: PatcherStructure,
  actions?: InnerActions,
): Promise<any>
export declare function ViewInternalData(ids: number[]): Promise<any[]>
export declare function ViewInternalDataApi(ids: number[]): Promise<any>
export declare function clearAllCaches(): void
export declare function convertFromConceptToLConcept(concept: Concept): Concept
export declare function convertFromLConceptToConcept(lconcept: Concept): Concept
export declare function convertWidgetTreeToWidget(
  tree: WidgetTree,
  parentElement: HTMLElement,
  isMain?: boolean,
  props?: any,
  state?: any,
  parentWidget?: StatefulWidget | null,
): Promise<BuilderStatefulWidget>
export declare function convertWidgetTreeToWidgetWithWrapper(
  tree: WidgetTree,
  parentElement: HTMLElement,
  isMain?: boolean,
  state?: object,
  isInDevelopment?: boolean,
  parentWidget?: StatefulWidget | null,
): Promise<BuilderStatefulWidget>
export declare function createPrototypeLocal(
  prototype: Prototype,
  passedTransaction?: LocalTransaction | null,
): Promise<{ concepts: Concept[]; connections: Connection[]; mainConcept: Concept }>
export declare function dispatchIdEvent(id: number | string, data?: any): void
export declare function getFromDatabaseWithType(
  databaseName: string,
  type: string,
  id: number,
): Promise<void>
export declare function getObjectsFromIndexDb(databaseName: string): Promise<void>
export declare function getUploadFileLimit(): Promise<{}>
export declare function getUserDetails(): {
  entity: number
  userConcept: number
  userId: number
  token: string
}
export declare function getUserDetailsAsync(): Promise<
  | { entity: any; userConcept: any; userId: any; token: string; roles: any }
  | { entity: any; userConcept: any; userId: any; token: any; roles: never[] }
>
export declare function getWidgetBulkFromId(
  widgetId: number,
  visitedWidgets: number[] | undefined,
  bulkWidget: any,
  token?: string,
): Promise<WidgetTree>
export declare function getWidgetFromId(
  widgetId: number,
  visitedWidgets?: number[],
  token?: string,
): Promise<WidgetTree>
export declare function importLatestWidget(
  widgetId: number,
  attachNode?: HTMLElement,
  props?: any,
  showDocumentation?: boolean,
): Promise<WidgetTree | undefined>
export declare function importRecentWidget(
  widgetId: number,
  attachNode?: HTMLElement,
  props?: any,
  showDocumentation?: boolean,
): Promise<WidgetTree | undefined>
export declare function init(
  url?: string,
  aiurl?: string,
  accessToken?: string,
  nodeUrl?: string,
  enableAi?: boolean,
  applicationName?: string,
  enableSW?: { activate: boolean; scope?: string; pathToSW?: string; manual?: boolean } | undefined,
  flags?: {
    logApplication?: boolean
    logPackage?: boolean
    accessTracker?: boolean
    isTest?: boolean
  },
  parameters?: { logserver?: string; isPwa?: boolean },
): Promise<true | undefined>
export declare function orderTheConnections(connections: Connection[], order?: string): Connection[]
export declare function recursiveFetch(
  id: number,
  connectionList: Connection[],
  compositionList: number[],
  visitedConcepts?: number[],
): Promise<any>
export declare function recursiveFetchNew(
  id: number,
  connectionList: Connection[],
  conceptList: Concept[],
  compositionList: number[],
  visitedConcepts?: number[],
): Promise<any>
export declare function removeAllChildren(parent: HTMLElement): void
export declare function renderImportedWidget(
  widgetId: number,
  attachNode: HTMLElement,
  props?: any,
  showDocumentation?: boolean,
): Promise<BuilderStatefulWidget | undefined>
export declare function renderLatestWidget(
  widgetId: number,
  attachNode: HTMLElement,
  props?: any,
  showDocumentation?: boolean,
): Promise<BuilderStatefulWidget | undefined>
export declare function renderPage(
  pageId: number,
  attachNode: HTMLElement,
  props?: any,
  showDocumentation?: boolean,
): Promise<void>
export declare function renderWidget(
  widgetId: number,
  attachNode: HTMLElement,
  props?: any,
  showDocumentation?: boolean,
): Promise<BuilderStatefulWidget | undefined>
export declare function searchLinkMultipleListener(
  searchQueries: SearchQuery[],
  token?: string,
  format?: number,
): SearchLinkMultipleAllObservable
export declare function sendMessage(
  type: string,
  payload: any,
  retryCount?: number,
): Promise<unknown>
export declare function setHasActivatedSW(value: boolean): void
export declare function storeToDatabase(databaseName: string, object: any): void
export declare function unwrapContainers(
  parentElement: HTMLElement,
  selector: string,
): Promise<void>
export declare function updateAccessToken(accessToken?: string, session?: any): void
export declare function uploadAttachment(
  file: File,
  token?: string,
): Promise<{ message: string; success: boolean; url?: string }>
export declare function uploadFile(body: FormData, token?: string): Promise<any>
export declare function uploadImage(body: FormData, token?: string): Promise<any>
export declare function uploadImageV2(body: FormData, token?: string): Promise<any>
