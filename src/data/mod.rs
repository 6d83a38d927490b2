//! Files → domain: what people hand in is read here, once, and checked while it is read.
//!
//! [`read_source`] makes text of a file or of standard input (gzip, byte-order mark, UTF-8); every format (JSON Lines, a
//! JSON array, CSV, TSV) becomes one stream of records with physical line numbers; each `load_*` turns that stream into
//! domain values or into a [`DataError`] that names line, field, what was found and what is wanted.
//!
//! The room never guesses, never drops a record in silence, and never writes. Its nouns: [`Source`], [`Loaded`],
//! [`Labels`], [`Responses`], [`RecordedVerdicts`], [`FileReport`].
//!
//! Files in reading order: `source`, `record` (with `fields`, `json`, `table`), `row` (typed fields), then one file per
//! kind: `pairs` (with `gold`, `check`), `items`, `labels`, `responses`, `verdicts`, `predictions`; last `detect` and `validate`.

mod check;
mod detect;
mod error;
mod fields;
mod gold;
mod items;
mod json;
mod labels;
mod pairs;
mod predictions;
mod reached;
mod record;
mod responses;
mod row;
mod sharing;
mod source;
mod table;
mod validate;
mod verdicts;

pub use detect::{Kind, detect};
pub use error::{DataError, Loaded, located};
pub use gold::{Disputed, complete_facts, gold_set, gold_set_of_facts, plurality};
pub use items::load_items;
pub use labels::{Label, LabelAgreement, Labels, apply_labels, apply_labels_to_facts, load_labels};
pub use pairs::{PairOptions, load_pairs};
pub use predictions::{Prediction, load_predictions};
pub use reached::Reached;
pub use responses::{Response, Responses, join_responses, load_responses};
pub use source::{Source, read_source, read_source_watched};
pub use validate::{FileOutcome, FileReport, ValidateOptions, validate};
pub use verdicts::{Form, RecordedVerdicts, VerdictOptions, load_verdicts};
