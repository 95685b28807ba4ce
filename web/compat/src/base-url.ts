/**
 * URLs of the server. `init` sets them, and each method returns the URL of one call. This package itself does not use
 * them: it sends its requests through the client, to the same server.
 */
export class BaseUrl {
  static BASE_URL = ''
  static NODE_CACHE_URL = ''
  static AI_URL = ''
  static MQTT_URL = ''
  static NODE_URL = ''
  static LOG_SERVER = ''
  static MQTT_CONNECTION: any = null
  static BASE_APPLICATION = ''
  static DOCUMENTATION_WIDGET = 0
  static isNearestCache = true
  static isPwa = false
  static FLAGS = {
    logApplication: false,
    logPackage: false,
    accessTracker: false,
    isTest: false,
  }
  static BASE_RANDOMIZER = 999

  static setRandomizer(id: number): void {
    BaseUrl.BASE_RANDOMIZER = id
  }

  static getRandomizer(): number {
    return BaseUrl.BASE_RANDOMIZER
  }

  static getAppConfig(): string {
    return `${BaseUrl.NODE_URL}/api/v1/config?application=${encodeURIComponent(BaseUrl.BASE_APPLICATION)}`
  }

  static SearchAllTypeWithLinker(auth = true): string {
    return auth ? base('/api/search-all-with-linker-ccs') : BaseUrl.SearchInternalWithCcsUrl()
  }

  static CreateGhostConceptApiUrl(withAuth = true): string {
    return node(`/api/v1/local-concepts${withAuth ? '' : '-without-auth'}`)
  }

  /** Returns the address of an upload, whose name is the last part of `ImageName`. */
  static GetCachedImage(ImageName: string): string {
    return base(`/uploads/${ImageName.replace(/[?#].*$/, '').replace(/^.*\//, '')}`)
  }

  static GetConceptUrl(): string {
    return cache('/api/getConcept')
  }

  static GetConnectionUrl(): string {
    return cache('/api/get-connection-by-id')
  }

  static GetConceptBulkUrl(): string {
    return cache('/api/get_concept_bulk')
  }

  static GetConnectionBulkUrl(): string {
    return cache('/api/get_connection_bulk')
  }

  static GetAllConceptsOfUserUrl(): string {
    return base('/api/get_all_concepts_of_user')
  }

  static GetAllConnectionsOfUserUrl(): string {
    return base('/api/get_all_connections_of_user')
  }

  static GetAllConnectionsOfCompositionUrl(): string {
    return base('/api/get_all_connections_of_composition')
  }

  static GetAllConnectionsOfCompositionBulkUrl(): string {
    return base('/api/get_all_connections_of_composition_bulk')
  }

  static GetConceptByCharacterValueUrl(): string {
    return base('/api/get_concept_by_character_value')
  }

  static GetConceptByCharacterAndTypeUrl(): string {
    return base('/api/get_concept_by_character_and_type')
  }

  static GetConceptByCharacterAndCategoryUrl(): string {
    return base('/api/get_concept_by_character_and_category')
  }

  static GetConceptByCharacterAndCategoryDirectUrl(): string {
    return base('/api/get_concept_by_character_and_category_direct')
  }

  static GetCharacterByCharacterUrl(): string {
    return base('/api/get_character_by_character')
  }

  static GetAllConceptsByTypeUrl(): string {
    return base('/api/get_all_concepts_by_type')
  }

  static GetAllConnectionsOfConceptUrl(): string {
    return base('/api/get-link-connections')
  }

  static GetAllConnectionsToConceptUrl(): string {
    return base('/api/get-link-reverse-connections')
  }

  static GetAllAiData(): string {
    return base('/api/get-preloaded-concepts')
  }

  static PostPrefetchConceptConnections(): string {
    return base('/api/get_all_connections_of_user')
  }

  static GetSuggestedConcepts(): string {
    return node('/api/v1/access-tracker/list-concepts-file')
  }

  static GetSuggestedConnections(): string {
    return node('/api/v1/access-tracker/list-connections-file')
  }

  static PostLogger(): string {
    return log('/api/logger')
  }

  static LogHealth(): string {
    return log('/api/check')
  }

  static GetAllPrefetchConnectionsUrl(): string {
    return base('/api/get_all_connections_of_user?inpage=500')
  }

  static GetAllLinkerConnectionOfConceptUrl(): string {
    return base('/api/get-all-linkers-from-concept')
  }

  static GetAllLinkerConnectionToConceptUrl(): string {
    return base('/api/get-all-linkers-to-concept')
  }

  static DeleteConceptUrl(): string {
    return base('/api/delete_concept')
  }

  static DeleteUserUrl(): string {
    return base('/api/deleteuser')
  }

  static RecursiveSearchUrl(): string {
    return base('/api/recursivesearch-concept-connection')
  }

  static SearchLinkMultipleAllApiUrl(): string {
    return base('/api/Connection/search-link-multiple-all')
  }

  static MakeTheNameInBackendUrl(): string {
    return base('/api/make-name-from-frontend')
  }

  static LoginUrl(): string {
    return base('/api/auth/login')
  }

  static SignupUrl(): string {
    return base('/api/auth/signup')
  }

  static GetCompositionConnectionBetweenTwoConceptsUrl(): string {
    return base('/api/get-composition-connection-between-two-concepts')
  }

  static SearchCompositionsUrl(): string {
    return base('/api/search-compositions')
  }

  static SearchLinkMultipleAll(): string {
    return base('/api/Connection/search-link-multiple-all-ccs')
  }

  static CreateSessionId(): string {
    return base('/api/create-session-id-remote')
  }

  static CreateSessionVisitUrl(): string {
    return base('/api/create-remote-session-visit')
  }

  static ViewInternalDataUrl(): string {
    return base('/api/view-api-internal-data-ccs-id-bulk')
  }

  static SearchInternalWithAuthenticatedCcsUrl(): string {
    return base('/api/search-composition-internal-authenticated-ccs')
  }

  static SearchInternalWithCcsUrl(): string {
    return base('/api-search-compositions-internal-clean-ccs')
  }

  static CreateGhostConnectionApiUrl(): string {
    return node('/api/v1/local-connections')
  }

  static GetRealConceptById(): string {
    return node('/api/v1/local-concepts-translate')
  }

  static GetReservedIdUrl(): string {
    return base('/api/get_reserved_ids')
  }

  static GetReservedConnectionIdUrl(): string {
    return base('/api/get_reserved_connection_ids')
  }

  static CreateTheTextDataUrl(): string {
    return base('/api/create_text_data')
  }

  static CreateTheCharacterDataUrl(): string {
    return base('/api/create_character_data')
  }

  static CreateTheConceptUrl(): string {
    return base('/api/create_the_concept')
  }

  static CreateTheConnectionUrl(): string {
    return base('/api/create_the_connection')
  }

  static CreateTheConnectionNewUrl(): string {
    return base('/api/create_the_connection_new')
  }

  static MakeTheTypeConceptUrl(): string {
    return base('/api/make_the_type_concept')
  }

  static DeleteTheConnectionUrl(): string {
    return base('/api/delete_connection')
  }

  static DeleteTheConnectionBulkUrl(): string {
    return base('/api/delete_connection_bulk')
  }

  static GetTypeConceptBulk(): string {
    return base('/api/get_type_concept_by_character_bulk')
  }

  static UploadFileLimitUrl(): string {
    return base('/api/upload/limit')
  }

  static FreeschemaQueryUrl(): string {
    return base('/api/freeschema-query')
  }

  static uploadImageUrl(): string {
    return base('/api/Image/UploadImage')
  }

  static uploadImageUrlWithSmall(): string {
    return base('/api/Image/UploadImageV2')
  }

  static uploadFileUrl(): string {
    return base('/api/Image/UploadFile')
  }

  static sendMail(): string {
    return base('/api/sendmail')
  }

  static sendBulkMail(): string {
    return base('/api/sendmail/bulk')
  }

  static getWidgetData(): string {
    return base('/api/get-widget')
  }

  static getLatestWidgetData(): string {
    return cache('/api/get-latest-widget')
  }

  static getRecentWidgetData(): string {
    return base('/api/get-recent-widget')
  }

  static getConnectionsByTypes(): string {
    return base('/api/get-connection-by-types')
  }

  static CreatePrototypeUrl(): string {
    return base('/api/create-prototype')
  }
}

const base = (path: string): string => BaseUrl.BASE_URL + path
const node = (path: string): string => (BaseUrl.NODE_URL || BaseUrl.BASE_URL) + path
const log = (path: string): string => (BaseUrl.LOG_SERVER || BaseUrl.BASE_URL) + path
const cache = (path: string): string => (BaseUrl.NODE_CACHE_URL || BaseUrl.BASE_URL) + path
