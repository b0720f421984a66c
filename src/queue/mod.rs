//! The queue: `RabbitMQ` between the gate and the ledger. It smooths the peak and decides nothing.
//!
//! A reservation passes through here in four steps:
//!
//! 1. the relay hands a batch to the [`Publisher`], which writes each as a [`message`] and tells for each
//!    one whether the broker has it safe;
//! 2. the broker keeps it in a quorum queue (the [`topology`]);
//! 3. the recorder takes batches from a [`Consumer`] and reads each [`Incoming`];
//! 4. each is acknowledged alone, after the ledger has it; what cannot be read goes to the dead letters
//!    by [`Publisher::publish_dead`].
//!
//! Everything may be repeated: a message that was published twice or delivered twice carries the same
//! order number, and the ledger has one row for each.
//!
//! A lost connection is nobody's state here. It shows as an error with a class, the caller waits a little
//! and calls again, and the next call stands on a fresh channel or a fresh connection. No wait is without
//! an end, save the wait for a first message, which ends with the heartbeat when the broker is gone.

mod address;
mod conn;
mod consumer;
mod dead_letter;
mod error;
mod letter;
mod link;
pub mod message;
mod publisher;
pub mod topology;
mod version;

pub use address::QueueOptions;
pub use conn::Queue;
pub use consumer::{Consumer, Incoming, acknowledge_all};
pub use dead_letter::REASON_HEADER;
pub use error::{PublishError, QueueError};
pub use message::Unreadable;
pub use publisher::Publisher;
pub use topology::{Lane, Topology};

pub use lapin::BasicProperties;
