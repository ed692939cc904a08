// The clocks of a machine, for a process that is started with this before anything else. Not the process alone stands
// still when it is stopped, but the machine with its monotonic clock, where PAGORA_TEST_MACHINE is "suspends"; and
// SIGUSR2 sets the clock of the day ten minutes ahead, or right again.
const sets = 600_000
const stoppedMin = 4_000_000_000n

const monotonic = process.hrtime.bigint
let seen = monotonic()
let stoodStill = 0n
const read = () => {
  const now = monotonic()
  if (now - seen > stoppedMin) stoodStill += now - seen
  seen = now
  return now - stoodStill
}
if (process.env.PAGORA_TEST_MACHINE === "suspends") {
  process.hrtime.bigint = read
  setInterval(read, 20).unref()
}

const ofDay = Date.now
let ahead = 0
Date.now = () => ofDay() + ahead
process.on("SIGUSR2", () => {
  ahead = ahead === 0 ? sets : 0
})
