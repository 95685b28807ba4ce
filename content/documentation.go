package content

// An Entry is a piece of what is written about a widget: plain, about an API, about a function, or images and links.
type Entry struct {
	Type         string   `json:"type,omitempty"` // "", "api", "function" or "imgAndLink"
	Title        string   `json:"title,omitempty"`
	Text         string   `json:"text,omitempty"`
	Content      string   `json:"content,omitempty"` // HTML
	CreatorEmail string   `json:"creatorEmail,omitempty"`
	CreatedBy    string   `json:"createdBy,omitempty"` // an address
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

// A Pair is a key and a value that an API takes.
type Pair struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// A field is a text and the name under which records hold it.
type field struct {
	name string
	text *string
}

func (e *Entry) fields() []field {
	return []field{
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
	}
}

// A fieldList is a list of texts.
type fieldList struct {
	name  string
	texts *[]string
}

func (e *Entry) lists() []fieldList {
	return []fieldList{{"s_doc_url", &e.DocURLs}, {"s_image_url", &e.ImageURLs}, {"s_video_link", &e.VideoLinks}}
}
