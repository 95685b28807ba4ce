/*
 * Services of a server other than the graph. Each call is one request as the current user, or two for an upload. It
 * rejects with a WeftError that has the server's message.
 *
 *   upload.ts              uploads files and builds their URLs
 *   mail.ts                sends e-mails
 *   site-visits.ts         reports the visitors of another site
 *   encrypted-profile.ts   keeps the profile of one tab; sends nothing
 */
export { clearTabProfile, type TabProfile } from '../account/tab-profile.ts'
export { loadTabProfile, type SignInResult, saveTabProfile } from './encrypted-profile.ts'
export { type BulkMail, type Mail, type MailContent, sendBulkMail, sendMail } from './mail.ts'
export { createSiteSession, recordVisit, type SiteSession } from './site-visits.ts'
export {
  fetchUploadLimits,
  removeUpload,
  type UploadLimits,
  type UploadOptions,
  type UploadResult,
  uploadFile,
  uploadUrl,
} from './upload.ts'
