//! The provider that needs no model.
//!
//! It extracts structured data from a document's text by declared patterns (`rules/extract/TYPE.yaml`; the host hands
//! them over as JSON in the request) and, given missing or faulty fields, tries the wider patterns of just those
//! fields. It is deterministic and honest: every value is copied from the document, what can't be found is left out and
//! noted, and instructions in a document are text like any other.
//!
//! # The pattern file
//!
//! ```yaml
//! extract: pathology                # the document type
//! words:                            # parts of patterns by name, used as `{differentiated}`
//!   differentiated: '(?:well|moderately|poorly) differentiated'
//! headings:                         # what a heading looks like; its words are the group `title`
//!   - '^(?P<title>[A-Z ]+):'
//! preliminary: 'frozen section.*'   # headings of what counts only where nothing else in the document says it
//! fields:
//!   grade:
//!     kind: text                    # text (default), number, object, list or whole
//!     patterns:                     # tried from top to bottom; the first one that matches gives the value
//!       - tier: 0                   # 0 (default): tried at once. 1: in the first correction of this field, and so on
//!         section: 'diagnosis'      # only under headings whose whole title matches
//!         head: 300                 # only in its first 300 characters
//!         pattern: 'grade:\s*(?P<value>[^\n.;]+)'
//!         reject: 'not specified'   # a value in which this occurs is skipped
//!         take: first               # or last
//!     values: margin-status         # the vocabulary that reads matches: of several that differ, the one that it prefers;
//!                                   # without one, `grade_status: ambiguous`. The host puts its phrases here
//!     verdict: ': (?:low|high)'      # a text that it follows continues to its end
//!     absent:                       # after this tier, say `grade_status: not_present`,
//!       after: 1                    # unless the document mentions it at all
//!       unless: 'grad|differentiat'
//!   ihcMarkers:
//!     kind: object                  # one entry per match: the groups `key` and `value`
//!     keys: { ER: 'ER|estrogen receptor' }   # the name to use: what it may be called; other keys are passed over
//!     patterns:
//!       - pattern: '(?P<key>ER|estrogen receptor): (?P<value>positive|negative)'
//!   labValues:
//!     kind: list
//!     rows:                         # rows of tables, before patterns: by the heads of columns, or by what cells hold
//!       needs: [test, value]        # a row without these is none
//!       columns:
//!         test: { head: 'test|analyte' }
//!         value: { head: 'result', cells: ['(?P<value>\\d+) (?P<unit>\\w+)'] }
//!   measurements:
//!     kind: list                    # one object per match: each named group is a property
//!     patterns:
//!       - pattern: '(?P<size>\d+ cm) (?P<structure>\w+)'
//!   specimens:
//!     kind: each                    # one object per part of the document, with its label: the host finds the parts
//!     fields:
//!       grade: {}                   # the patterns of the field `grade`, within the part
//!       site: { patterns: [{ pattern: '(?P<value>\w+) biopsy' }] }
//!   rawText: { kind: whole }        # the whole document
//! ```
//!
//! Patterns are those of the `regex` crate, so that every search takes time linear in the document, whatever the
//! pattern. Case is ignored, `^` and `$` are the ends of lines. A text value with `section` and no `pattern` is all the
//! text under the heading.
//!
//! Where quotes are asked for, what a pattern matched is the quote of the value that was read there.
//!
//! The pure part is [`extract::extract`] and [`extract::correct`].

pub mod extract;
mod assertions;
mod expression;
pub mod focus;
mod parts;
pub mod patterns;
mod provider;
mod search;
mod sections;
mod tables;
mod ticks;
mod values;
mod verbatim;

pub use provider::PatternPlugin;

loopctl_plugin_sdk::export_direct_plugin!(PatternPlugin, include_str!("../plugin.json"), unless = "linked");
