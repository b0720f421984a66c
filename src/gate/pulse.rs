//! What processes tell of themselves once a second, kept for some minutes.

use super::conn::Gate;
use super::error::GateError;
use super::keys::{PULSES as INDEX, past, pulse};
use super::scripts::{PULSE, PULSES};
use crate::sale::pulse::{Heard, Moment, Pulse};

/// How long a process that fell silent is still named, and how far back its past goes, ms.
const LIFE_MS: i64 = 300_000;
/// One a second.
const MOMENTS: i64 = 300;
/// Processes read at most, the latest first.
const PROCESSES: i64 = 200;

/// Who was heard of.
#[derive(Debug, Clone, Default)]
pub struct Pulses {
    /// The gate's time, ms since the epoch.
    pub now_ms: i64,
    /// Each process, by its name.
    pub heard: Vec<Heard>,
}

impl Gate {
    /// Tells what this process, a worker at this moment, has to say.
    pub async fn tell_pulse(
        &self,
        process: &str,
        told: &Pulse,
        moment: Option<&Moment>,
    ) -> Result<(), GateError> {
        let told = serde_json::to_string(told).map_err(|error| GateError::unreadable(&error))?;
        let moment = moment.map(written).unwrap_or_default();
        let reply: String = self
            .run(&PULSE, |script| {
                script.key(INDEX).key(pulse(process)).key(past(process));
                script.arg(process).arg(told).arg(LIFE_MS).arg(moment).arg(MOMENTS)
            })
            .await?;
        if reply == "told" { Ok(()) } else { Err(GateError::unreadable(&reply)) }
    }

    /// This process leaves; nobody is to miss it.
    pub async fn end_pulse(&self, process: &str) -> Result<(), GateError> {
        let _removed: i64 = self.command(redis::cmd("ZREM").arg(INDEX).arg(process)).await?;
        let keys = [pulse(process), past(process)];
        let _removed: i64 = self.command(redis::cmd("UNLINK").arg(&keys)).await?;
        Ok(())
    }

    /// Who was heard of in the last minutes.
    pub async fn pulses(&self) -> Result<Pulses, GateError> {
        let reply: Vec<String> =
            self.run(&PULSES, |script| script.key(INDEX).arg(PROCESSES)).await?;
        let mut reply = reply.into_iter();
        let now_ms = number(&reply.next().unwrap_or_default())?;
        let (mut processes, mut heard) = (Vec::new(), Vec::new());
        while let (Some(process), Some(at_ms)) = (reply.next(), reply.next()) {
            processes.push((process, number(&at_ms)?));
        }
        if processes.is_empty() {
            return Ok(Pulses { now_ms, heard });
        }
        let keys: Vec<String> = processes.iter().map(|(process, _)| pulse(process)).collect();
        let told: Vec<Option<String>> = self.command(redis::cmd("MGET").arg(keys)).await?;
        for ((process, at_ms), told) in processes.into_iter().zip(told) {
            // What another release tells may be unreadable to this one; it is there all the same.
            let pulse = told.and_then(|told| serde_json::from_str(&told).ok()).unwrap_or_default();
            heard.push(Heard { process, pulse, ago_ms: now_ms.saturating_sub(at_ms).max(0) });
        }
        heard.sort_by(|a, b| (&a.pulse.role, &a.process).cmp(&(&b.pulse.role, &b.process)));
        Ok(Pulses { now_ms, heard })
    }

    /// A worker's past, the oldest moment first.
    pub async fn past_of(&self, process: &str) -> Result<Vec<Moment>, GateError> {
        let mut cmd = redis::cmd("LRANGE");
        let lines: Vec<String> = self.command(cmd.arg(past(process)).arg(0).arg(-1)).await?;
        Ok(lines.iter().rev().filter_map(|line| read(line)).collect())
    }
}

/// The script puts its time before it.
fn written(moment: &Moment) -> String {
    let text = |figure: Option<i64>| figure.map_or("-".to_owned(), |figure| figure.to_string());
    format!("{} {} {}", moment.recorded, text(moment.queued), text(moment.outbox))
}

fn read(line: &str) -> Option<Moment> {
    let mut parts = line.split(' ');
    let mut part = || parts.next().map(|text| text.parse::<i64>().ok());
    Some(Moment { at_ms: part()??, recorded: part()??, queued: part()?, outbox: part()? })
}

fn number(text: &str) -> Result<i64, GateError> {
    text.parse().map_err(|_| GateError::unreadable(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_read_as_it_was_written() {
        let moment = Moment { at_ms: 1, recorded: 7, queued: None, outbox: Some(3) };
        assert_eq!(read(&format!("1 {}", written(&moment))), Some(moment));
        assert_eq!(read("1 7 -"), None);
        assert_eq!(read(""), None);
        assert_eq!(read("x 7 1 1"), None);
    }
}
