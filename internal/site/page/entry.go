package page

import "iter"

// A StoredEntry is an entry of a widget's documentation as its author wrote it and as content files contain it: plain text,
// the description of an API or a function, or images and links.
type StoredEntry struct {
	Type         string   `json:"type,omitempty"` // "", "api", "function" or "imgAndLink"
	Title        string   `json:"title,omitempty"`
	Text         string   `json:"text,omitempty"`
	Content      string   `json:"content,omitempty"` // HTML
	CreatorEmail string   `json:"creatorEmail,omitempty"`
	CreatedBy    string   `json:"createdBy,omitempty"` // a URL
	Folder       string   `json:"folder,omitempty"`
	Language     string   `json:"language,omitempty"`
	Return       string   `json:"return,omitempty"`
	CodeEditor   string   `json:"codeEditor,omitempty"`
	Method       string   `json:"method,omitempty"`
	MethodURL    string   `json:"methodUrl,omitempty"`
	AuthType     string   `json:"authType,omitempty"`
	Username     string   `json:"username,omitempty"`
	Password     string   `json:"password,omitempty"`
	BearerToken  string   `json:"bearerToken,omitempty"`
	APIScript    string   `json:"apiScript,omitempty"`
	APIBody      string   `json:"apiBody,omitempty"`
	JSONList     []Pair   `json:"jsonList,omitempty"`
	DocURLs      []string `json:"docUrls,omitempty"`
	ImageURLs    []string `json:"imageUrls,omitempty"`
	VideoLinks   []string `json:"videoLinks,omitempty"`
}

// A Pair is a member of the JSON body that a documented API accepts.
type Pair struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Texts yields the text fields of the entry, with their names in records.
func (e *StoredEntry) Texts() iter.Seq2[string, *string] {
	return func(yield func(string, *string) bool) {
		for _, t := range []struct {
			name string
			text *string
		}{
			{"type", &e.Type},
			{"doc_title", &e.Title},
			{"text", &e.Text},
			{"content", &e.Content},
			{"creator_email", &e.CreatorEmail},
			{"created_by", &e.CreatedBy},
			{"folder", &e.Folder},
			{"language", &e.Language},
			{"return", &e.Return},
			{"code_editor", &e.CodeEditor},
			{"method", &e.Method},
			{"method_url", &e.MethodURL},
			{"auth_type", &e.AuthType},
			{"username", &e.Username},
			{"password", &e.Password},
			{"bearer_token", &e.BearerToken},
			{"api_script", &e.APIScript},
			{"api_body", &e.APIBody},
		} {
			if !yield(t.name, t.text) {
				return
			}
		}
	}
}

// Lists yields the list fields of the entry, with their names in records.
func (e *StoredEntry) Lists() iter.Seq2[string, *[]string] {
	return func(yield func(string, *[]string) bool) {
		_ = yield("s_doc_url", &e.DocURLs) && yield("s_image_url", &e.ImageURLs) && yield("s_video_link", &e.VideoLinks)
	}
}
