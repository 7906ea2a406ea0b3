// Package demo is real small work for `dcctop demo`: something to watch and to
// cancel on a machine where nothing is installed. Every job computes what it
// says, its pictures are on the disk, and its progress is that of the work.
//
// # Jobs
//
//	shot_010_beauty     a path tracer: balls of glass, gold and lacquer on a checker at dusk,
//	渲染_鏡頭010         a room with a lamp in its ceiling,
//	shot_020_beauty     glowing balls at night. Each shot is a parent with a child per frame,
//	                    and a contact sheet at the end
//	fx_galaxy_v007      two galaxies meet: n bodies, leapfrog; says by how much its energy drifts,
//	                    and looks at its token before each step
//	fx_dust_v003        a whirlwind of dust; never looks at its token: the deaf one
//	env_ao_bake_v002    how much sky a floor sees; looks at its token every 8 s
//	shot_030_comp_v012  grades a sequence of plates, one of which was never delivered: fails
//	🎬 dailies           adds a shot whenever the queue runs dry, until the demo ends
//
// Pictures are written under another name and renamed, so a folder never holds
// half of one: what was finished stays, a cancelled frame leaves nothing. A
// frame looks the same each time, however many goroutines render it.
//
// # Cores
//
// Half of the machine stays free: [Options].Cores bounds how many goroutines of
// all jobs compute at once. Frames take the dispatcher's slots. The other jobs
// are small: they compute for some milliseconds and rest for nine times as
// long, take no slot, and take turns with the frames on the same cores. So on a
// machine with two cores the deaf job neither blocks the one slot for minutes
// nor burns the core that was to stay free.
//
// # Ending
//
// When the context given to [Start] ends, no shot is added any more and the
// rarely looking bake looks at once; when the dispatcher then shuts down, all
// stop within a fraction of a second, but for the deaf one, which ends with the
// process. Nobody should wait for it: bound the shutdown.
package demo
