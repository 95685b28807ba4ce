export interface SigninModel {
  email: string
  password: string
}

export interface SignupModel {
  email: string
  password: string
}

/** The result of a sign-in or sign-up. */
export interface FreeschemaResponse {
  message: string
  status: boolean
  statusCode: number
  data: any
}

export interface EmailBody {
  toAddress: string
  heading: string
  body?: string
  attachments?: string[]
}

export interface BulkEmailBody {
  ccAddresses: string[]
  heading: string
  toAddress?: string
  body?: string
  attachments?: string[]
}
