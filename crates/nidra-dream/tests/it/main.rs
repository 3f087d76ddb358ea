//! The whole way of a dream with engines that play a part: obedient, greedy, mistaken, failing.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod attribution;
mod concurrency;
mod cost;
mod destruction;
mod drift;
mod forgetting;
mod index;
mod places;
mod progress;
mod recheck;
mod support;
mod suppression;
mod waiting;
