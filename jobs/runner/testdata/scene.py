"""A small scene for Cycles on the CPU: a ring of cubes that turns, one frame in
well under a second. Run it before the options that render:

    blender -b --factory-startup -P scene.py -o out/f#### -s 1 -e 40 -a

DCCTOP_SAMPLES sets the samples per pixel (default 4).
"""
import math
import os

import bpy

scene = bpy.context.scene
scene.render.engine = "CYCLES"
scene.render.resolution_x = 64
scene.render.resolution_y = 36
scene.render.resolution_percentage = 100
scene.render.image_settings.file_format = "PNG"
scene.frame_start = 1
scene.frame_end = 1000

cycles = scene.cycles
cycles.device = "CPU"
cycles.samples = int(os.environ.get("DCCTOP_SAMPLES", "4"))
cycles.use_adaptive_sampling = False
cycles.use_denoising = False  # Debian's Blender is built without it
cycles.max_bounces = 2

for name in ("Cube",):
    if name in bpy.data.objects:
        bpy.data.objects.remove(bpy.data.objects[name], do_unlink=True)

pivot = bpy.data.objects.new("Pivot", None)
scene.collection.objects.link(pivot)
for i in range(8):
    angle = 2 * math.pi * i / 8
    bpy.ops.mesh.primitive_cube_add(size=0.7, location=(2 * math.cos(angle), 2 * math.sin(angle), 0))
    cube = bpy.context.object
    cube.parent = pivot
    material = bpy.data.materials.new("Cube%d" % i)
    material.diffuse_color = (i / 8, 0.4, 1 - i / 8, 1)
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (i / 8, 0.4, 1 - i / 8, 1)
    cube.data.materials.append(material)

pivot.rotation_euler = (0, 0, 0)
pivot.keyframe_insert("rotation_euler", frame=1)
pivot.rotation_euler = (0, 0, 2 * math.pi)
pivot.keyframe_insert("rotation_euler", frame=101)
