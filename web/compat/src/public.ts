/*
 * All names of the package except those that render stored widgets and pages. Stored code gets all of these names in
 * its argument `tsccs`. The functions that render are in `widgets/render.ts`, which loads this file when stored code
 * runs.
 */
export {
  CreateSession,
  CreateSessionVisit,
  DeleteUser,
  getUserDetails,
  getUserDetailsAsync,
  LoginToBackend,
  Signin,
  Signup,
  SignupEntity,
} from './accounts.ts'
export {
  FormatFromConnections,
  FormatFromConnectionsAltered,
  orderTheConnections,
} from './attached-links.ts'
export { BaseUrl } from './base-url.ts'
export {
  clearAllCaches,
  getFromDatabaseWithType,
  getObjectsFromIndexDb,
  storeToDatabase,
} from './browser-database.ts'
export { ConceptsData, ConnectionData, LocalConceptsData } from './caches.ts'
export { Composition } from './composition-object.ts'
export {
  CreateComposition,
  CreateTheCompositionLocal,
  CreateTheCompositionWithCache,
  GetComposition,
  GetCompositionBulk,
  GetCompositionBulkWithDataId,
  GetCompositionFromConnectionsWithDataId,
  GetCompositionFromConnectionsWithDataIdFromConnections,
  GetCompositionFromConnectionsWithDataIdIndex,
  GetCompositionFromConnectionsWithDataIdInObject,
  GetCompositionFromConnectionsWithIndex,
  GetCompositionFromConnectionsWithIndexFromConnections,
  GetCompositionFromMemoryWithConnections,
  GetCompositionLocal,
  GetCompositionLocalWithId,
  GetCompositionWithAllIds,
  GetCompositionWithCache,
  GetCompositionWithDataIdBulk,
  GetCompositionWithDataIdWithCache,
  GetCompositionWithId,
  GetCompositionWithIdAndDateFromMemory,
  recursiveFetch,
  recursiveFetchNew,
  UpdateComposition,
  UpdateCompositionLocal,
} from './compositions.ts'
export {
  AddGhostConcept,
  DeleteConceptById,
  DeleteConceptLocal,
  GetConceptBulk,
  GetConceptByCharacter,
  GetConceptByCharacterAndCategoryLocal,
  GetConceptByCharacterAndType,
  GetTheConcept,
  GetTheConceptLocal,
  GetUserGhostId,
  MakeTheInstanceConcept,
  MakeTheInstanceConceptLocal,
  MakeTheTimestamp,
  MakeTheTypeConceptApi,
  MakeTheTypeConceptLocal,
  SplitStrings,
  TrashTheConcept,
} from './concepts.ts'
export {
  CreateConnection,
  CreateConnectionBetweenEntityLocal,
  CreateConnectionBetweenTwoConcepts,
  CreateConnectionBetweenTwoConceptsGeneral,
  CreateConnectionBetweenTwoConceptsLocal,
  CreateTheConnection,
  CreateTheConnectionGeneral,
  CreateTheConnectionLocal,
  DeleteConnectionById,
  DeleteConnectionByIdBulk,
  DeleteConnectionByType,
  DeleteConnectionByTypeBulk,
  GetAllConnectionsOfComposition,
  GetAllConnectionsOfCompositionBulk,
  GetAllTheConnectionsByTypeAndOfTheConcept,
  GetConnectionBetweenTwoConceptsLinker,
  GetConnectionBulk,
  GetConnectionById,
  GetConnectionDataPrefetch,
  GetConnectionOfTheConcept,
  GetConnectionTypeForCount,
  GetLinkerConnectionFromConcepts,
  GetLinkerConnectionToConcepts,
} from './connections.ts'
export { Environments } from './environment.ts'
export { dispatchIdEvent } from './events.ts'
export { Anomaly, createFormFieldData, Validator } from './forms.ts'
export { init } from './init.ts'
export {
  GetLink,
  GetLinkRaw,
  GetRelation,
  GetRelationLocal,
  GetRelationNew,
  GetRelationRaw,
} from './links.ts'
export { DependencyObserver } from './listeners/observer.ts'
export {
  GetCompositionListener,
  GetCompositionListListener,
  GetLinkListener,
  SchemaQueryListener,
} from './listeners/queries.ts'
export {
  GetLinkListListener,
  RecursiveSearchListener,
  SearchLinkMultipleAllObservable,
  searchLinkMultipleListener,
} from './listeners/searches.ts'
export {
  GetCompositionList,
  GetCompositionListAll,
  GetCompositionListAllWithId,
  GetCompositionListLocal,
  GetCompositionListLocalWithId,
  GetCompositionListWithId,
  GetCompositionListWithIdUpdated,
} from './lists.ts'
export { LogEvent, Logger } from './logger.ts'
export type { FreeschemaResponse, SigninModel, SignupModel } from './model/accounts.ts'
export {
  Concept,
  CreateDefaultConcept,
  CreateDefaultLConcept,
  convertFromConceptToLConcept,
  convertFromLConceptToConcept,
  LConcept,
} from './model/concept.ts'
export { Connection, LConnection } from './model/connection.ts'
export {
  ADMIN,
  ALLID,
  DATAID,
  DATAIDDATE,
  DATAV2,
  JUSTDATA,
  LISTNORMAL,
  NORMAL,
  PRIVATE,
  PUBLIC,
  RAW,
  validDocumentFormats,
  validImageFormats,
} from './model/constants.ts'
export {
  CountInfo,
  FilterSearch,
  FreeschemaQuery,
  SearchQuery,
  SearchStructure,
} from './model/queries.ts'
export { type InnerActions, PatcherStructure, Prototype, SessionData } from './model/records.ts'
export { DelayFunctionExecution, removeAllChildren, unwrapContainers } from './page-tools.ts'
export { FreeschemaQueryApi, SchemaQuery } from './schema-query.ts'
export {
  RecursiveSearchApi,
  RecursiveSearchApiNewRawFullLinker,
  RecursiveSearchApiRaw,
  RecursiveSearchApiRawFullLinker,
  RecursiveSearchApiWithInternalConnections,
  SearchAllConcepts,
  SearchLinkInternal,
  SearchLinkInternalAll,
  SearchLinkMultipleAll,
  SearchLinkMultipleApi,
  SearchWithLinker,
  SearchWithTypeAndLinker,
  SearchWithTypeAndLinkerApi,
  ViewInternalData,
  ViewInternalDataApi,
} from './search.ts'
export {
  handleServiceWorkerException,
  hasActivatedSW,
  sendMessage,
  serviceWorker,
  setHasActivatedSW,
  subscribedListeners,
} from './service-worker.ts'
export { TokenStorage, updateAccessToken } from './start.ts'
export { LocalSyncData, SyncData } from './sync-data.ts'
export { AccessTracker } from './tracker.ts'
export { CreateData, createPrototypeLocal, LocalTransaction } from './transactions.ts'
export { BinaryTree, CompositionBinaryTree, CompositionNode, UserBinaryTree } from './trees.ts'
export {
  GetFreeschemaImage,
  GetFreeschemaImageUrl,
  GetImageApi,
  getUploadFileLimit,
  sendEmail,
  uploadAttachment,
  uploadFile,
  uploadImage,
  uploadImageV2,
} from './uploads.ts'
export { BuilderStatefulWidget } from './widgets/builder.ts'
export { Selector } from './widgets/selector.ts'
export { StatefulWidget } from './widgets/stateful.ts'
export { WidgetTree } from './widgets/tree.ts'
