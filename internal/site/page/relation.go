package page

import "slices"

// The types of the links in pages, widgets and their parts.
var (
	slugRelations = []string{"the_page_slug", "the_page_s_slug"}
	pageRelations = withPrefix("the_page_", append(textRelationNames(), "guarded", "body")...)

	textRelations = withPrefix("the_widget_", "name", "html", "css", "type", "version", "origin")
	codeRelations = withPrefix("the_widget_", "js", "before_render", "after_render", "mount_child", "update", "dependency")

	// The parts of a widget are separate records. insideRelations holds the relations of these records.
	childRelation     = "the_widget_s_child"
	codePartRelations = withPrefix("the_widget_s_", "css_library", "js_library", "custom_function")
	partRelations     = append([]string{childRelation}, codePartRelations...)
	insideRelations   = slices.Concat(
		withPrefix("the_child_widget_", "wrapper", "info", "parent", "type", "use_latest"),
		withPrefix("the_css_library_", "order", "url"), withPrefix("the_js_library_", "order", "url"),
		withPrefix("the_custom_function_", "name", "slug", "code"),
		withPrefix("the_assistant_", "id", "input", "type"),
	)

	// The notes of a builder about a widget: when the widget was saved, its HTML without markers, and the
	// request that generated it. Notes are not rendered. The assistant is a separate record.
	noteRelations     = withPrefix("the_widget_", "timestamp", "clean")
	assistantRelation = "the_widget_assistant"

	documentationRelations = []string{"the_widget_documentation", "the_widget_s_documentation"}
	originRelations        = []string{"the_widget_root", "the_widget_origin"}
	versionRelations       = []string{string(Latest), string(Recent)}
	widgetRelations        = slices.Concat(textRelations, codeRelations, partRelations, originRelations[:1], documentationRelations)

	// inertRelations lists relations that are irrelevant to the code of a widget, so that a private link of these
	// relations does not restrict the widget.
	inertRelations = slices.Concat([]string{childRelation, assistantRelation}, noteRelations, documentationRelations, originRelations, versionRelations)

	headTypes = withPrefix("the_", "page", "slug", "widget", "child_widget", "css_library", "js_library",
		"custom_function", "assistant", "documentation", "json_list")
	allRelations = slices.Concat(slugRelations, pageRelations, widgetRelations, noteRelations, []string{assistantRelation}, insideRelations, versionRelations,
		entryRelations, listRelations)
)

// withPrefix returns the names, each with the prefix.
func withPrefix(prefix string, names ...string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = prefix + name
	}
	return all
}

// SlugRelations returns the names of the links from a page to its slugs.
func SlugRelations() []string { return slices.Clone(slugRelations) }

// CodeRelations returns the names of the links from a widget to its code, and to its libraries and functions.
func CodeRelations() []string { return slices.Concat(codeRelations, codePartRelations) }
