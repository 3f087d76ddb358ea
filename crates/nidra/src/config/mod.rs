//! The settings: where they come from, who set what, and the environment as a value.
//!
//! [`Environment`] alone reads the process; [`load`](load()) alone reads files. A fault in any layer is an error that names
//! file, line and a near match; it is never passed over, for a switch that is silently dead is worse than none.

pub mod environment;
pub mod key;
pub mod layer;
pub mod load;
pub mod write;
mod zone;

pub use environment::{Environment, EnvironmentError, VARIABLES, Variable, VariableOwner, parse_time};
pub use key::{Form, KEYS, Key, ProjectRule, Suggestion};
pub use layer::{Place, Problem, ProblemKind};
pub use load::{ConfigError, ConfigFiles, Configuration, Explanation, Flag, Layer, Origin, load};
pub use write::{set, unset};
